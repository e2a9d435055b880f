import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming.

/// Hooks that come and go while other threads call.
final class ThreadTests: XCTestCase {
  func testCallsGoOnWhileHooksComeAndGo() throws {
    let before = metadataWords(of: Page.self)
    let isOver = Atomic(false)
    let calls = Atomic(0)
    let wrong = Atomic(0)
    let threads = ThreadGroup()
    for make in [{ @Sendable in Page() }, { @Sendable in DeeperPage() }] {
      threads.start {
        let page = make()
        while !isOver.load(ordering: .relaxed) {
          let result = page.half(8)
          if result != 4 && result != 5 { wrong.add(1, ordering: .relaxed) }
          calls.add(1, ordering: .relaxed)
        }
      }
    }
    for round in 0..<60 {
      let type: Page.Type = round % 3 == 0 ? DeeperPage.self : Page.self
      let hook = unsafe try SwiftClass(type).target("half(_:)").hook(.after) {
        try $0.setResult(Float(5))
      }
      let start = calls.load(ordering: .relaxed)
      while calls.load(ordering: .relaxed) == start { sched_yield() }
      hook.removeAndWait()
    }
    isOver.store(true, ordering: .relaxed)
    threads.wait()
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    XCTAssertEqual(metadataWords(of: Page.self), before)
  }

  func testHooksAreInstalledByManyThreadsAtOnce() throws {
    let before = [Page.self, InheritingPage.self, DeeperPage.self].map(metadataWords)
    let threads = ThreadGroup()
    let count = Atomic(0)
    for type in [Page.self, InheritingPage.self, DeeperPage.self] {
      threads.start {
        for _ in 0..<15 {
          guard
            let hook = unsafe try? SwiftClass(type).target("short(_:)").hook(
              .before,
              { _ in
                count.add(1, ordering: .relaxed)
              })
          else { continue }
          _ = DeeperPage().short(1)
          hook.remove()
        }
      }
    }
    threads.wait()
    XCTAssertGreaterThanOrEqual(count.load(ordering: .relaxed), 45)
    XCTAssertEqual([Page.self, InheritingPage.self, DeeperPage.self].map(metadataWords), before)
  }
}
