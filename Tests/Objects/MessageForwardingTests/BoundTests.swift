import BlockABI
import BlockHooks
import CFixtures
import CallMemoization
import DelayedBlocks
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import XCTest

/// Tables that live as long as the process do not grow with what comes and goes.
final class BoundTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32

  private final class Page: MessageReceiver, EventSender, Sendable {
    static var methods: MethodTable { MethodTable(Page.self) { Method("tap") { (_: Page) in } } }
  }

  /// A block of its own on the heap.
  private static func makeBlock(_ number: Int) throws -> Block {
    let added = Int32(truncatingIfNeeded: number)
    let block: IntBlock = { $0 &+ added }
    return try Block(block)
  }

  /// What is made and dropped, each with what it leaves behind while it lives.
  private static let kinds: [(name: String, make: @Sendable (Int) throws -> Void)] = [
    (
      "a hooked block",
      { number in
        let block = try makeBlock(number)
        try block.hook { call in try call.proceed() }
        _ = try block.call(1) as Int32
      }
    ),
    (
      "a hook that removes itself within its call",
      { number in
        let block = try makeBlock(number)
        let hook = HookBox()
        hook.value = try block.hook { call in
          hook.value?.remove()
          hook.value = nil
          try call.proceed()
        }
        _ = try block.call(1) as Int32
      }
    ),
    (
      "a block that another one stands in for",
      { number in
        let block = try makeBlock(number)
        let other: IntBlock = { $0 &- 1 }
        try block.replace(with: other)
        _ = try block.call(1) as Int32
      }
    ),
    (
      "a memoized block",
      { number in
        let block = try makeBlock(number)
        try block.install(.memoizing())
        _ = try block.call(1) as Int32
      }
    ),
    (
      "a hook that is suspended, resumed and awaited",
      { number in
        let block = try makeBlock(number)
        let hook = try block.hook(.before) { _ in }
        hook.suspend()
        try hook.resume()
        hook.removeAndWait()
      }
    ),
    (
      "a made block",
      { number in
        let block = try Block(signature: "i@?i") { call in try call.setResult(Int32(1)) }
        _ = try block.call(1) as Int32
      }
    ),
    (
      "a function pointer",
      { number in _ = try FunctionPointer(signature: "ii") { call in try call.setResult(Int32(1)) }
      }
    ),
    ("a signature", { number in _ = try CallInterface.of("{S\(number)=ii}@?i") }),
    (
      "a value of an object",
      { number in
        let page = Page()
        let key = AssociationKey<Int>("key \(number)")
        try key.set(number, on: page)
        _ = WeakReference(page)
      }
    ),
    (
      "a delegate and a proxy of it",
      { number in
        let delegate = DynamicDelegate(try MessageProtocol("P", [.optional("m", signature: "v@:")]))
        try delegate.implement("m") {}
        try delegate.send("m")
        let proxy = WeakProxy(delegate)
        try proxy.send("m")
      }
    ),
    (
      "a proxy of several targets",
      { number in
        let page = Page()
        let proxy = MultiTargetProxy()
        proxy.add(weak: page)
        try proxy.send("tap")
      }
    ),
    (
      "a dynamic class",
      { number in
        let made = try DynamicClass("Bound")
        made.addMethod(Method("m", signature: "v@:") { _ in })
        try made.register()
        try made.makeInstance().send("m")
      }
    ),
    (
      "a hooked object",
      { number in
        let page = Page()
        try page.target("tap").hook(.before) { _ in }
        try page.send("tap")
      }
    ),
    (
      "an object with an event handler",
      { number in
        let page = Page()
        try page.eventHandlers.add(for: .all) { _, _ in }
        page.eventHandlers.send(.all)
      }
    ),
    (
      "a delayed block",
      { number in _ = DelayTimer.shared.perform(after: .seconds(3600)) {}.cancel() }
    ),
    (
      "a timer",
      { number in
        let clock = ManualClock()
        let block = DelayTimer(clock: clock).perform(after: .seconds(1)) {}
        clock.advance(by: .seconds(1))
        XCTAssertEqual(block.state, .finished)
      }
    ),
    (
      "a thread that called a hooked block",
      { number in
        let thread = ThreadGroup()
        thread.start {
          do {
            let block = try makeBlock(number)
            try block.hook { call in try call.proceed() }
            _ = try block.call(1) as Int32
          } catch {
            XCTFail("\(error)")
          }
        }
        thread.wait()
      }
    ),
  ]

  private final class HookBox: @unchecked Sendable {
    // SAFETY: it is used on one thread.
    var value: Hook?
  }

  func testWhatComesAndGoesTenThousandTimesLeavesNothing() throws {
    try XCTSkipIf(isSanitized, "a sanitizer keeps what is freed")
    for kind in Self.kinds {
      for number in 0..<3_000 { try kind.make(number) }
      let before = fixture_heap_in_use()
      for number in 0..<emulated(10_000) { try kind.make(10_000 + number) }
      let growth = Int(fixture_heap_in_use()) - Int(before)
      XCTAssertLessThan(growth, isEmulated ? 32 << 10 : 64 << 10, kind.name)
    }
  }
}
