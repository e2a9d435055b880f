import BlockHooks
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// Hooks of single objects, which do not depend on those of others.
final class HookedInstanceTests: XCTestCase {
  private final class Page: MessageReceiver, Sendable {
    static var methods: MethodTable { MethodTable(Page.self) { Method("tap") { (_: Page) in } } }
  }

  func testAHookOfOneObjectRunsWhileHooksOfAnotherComeAndGo() throws {
    let hooked = Page()
    let runs = Atomic(0)
    try hooked.target("tap").hook(.before) { _ in runs.add(1, ordering: .relaxed) }
    let other = Page()
    // A change of a method with many heirs holds up those who count hooks.
    let base = try DynamicClass("Base")
    try base.register()
    let heirs = try (0..<500).map { try DynamicClass("Heir\($0)", superclass: base) }
    let isOver = Atomic(false)
    let threads = ThreadGroup()
    threads.start {
      while !isOver.load(ordering: .relaxed) { base.replaceMethod(Method("m") { (_: Page) in }) }
    }
    // Who removes a hook need not be who installs it, and may be there before it is counted.
    for isRemover in [false, true, true] {
      threads.start {
        while !isOver.load(ordering: .relaxed) {
          if isRemover {
            for hook in other.target("tap").hooks { hook.remove() }
          } else {
            _ = try? other.target("tap").hook(.before) { _ in }
          }
        }
      }
    }
    let sent = shortened(20_000)
    for _ in 0..<sent { try hooked.send("tap") }
    isOver.store(true, ordering: .relaxed)
    threads.wait()
    for hook in other.target("tap").hooks { hook.remove() }
    XCTAssertEqual(runs.load(ordering: .relaxed), sent)
    withExtendedLifetime(heirs) {}
  }
}
