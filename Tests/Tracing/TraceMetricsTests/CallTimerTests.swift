#if Metrics || Everything
import BlockABI
import BlockHooks
import Dispatch
import Glibc
import Invocations
import MessageForwarding
import Metrics
import MetricsTestKit
import SymbolInterposing
import TestSupport
import TraceMetrics
import XCTest

/// Timers of hooked calls, and of how long blocks wait.
final class CallTimerTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32
  private struct Torn: Error {}

  private final class Page: MessageReceiver {
    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("tear:") { (_: Page, count: Int) -> Int in
          if count > 1 { throw Torn() }
          return count
        }
      }
    }
  }

  private let metrics = TestMetrics()

  func testEachCallOfABlockIsTimed() throws {
    let work: IntBlock = { number in
      usleep(2000)
      return number + 1
    }
    let hook = try Block(work).install(.timer(factory: metrics))
    XCTAssertEqual(work(4), 5)
    XCTAssertEqual(work(5), 6)
    hook.remove()
    _ = work(6)
    let code = "CallTimerTests.testEachCallOfABlockIsTimed › closure #1"
    let timer = try metrics.expectTimer("call_duration", [("code", code)])
    XCTAssertEqual(timer.values.count, 2)
    XCTAssertTrue(timer.values.allSatisfy { $0 >= 2_000_000 }, "\(timer.values)")
    XCTAssertEqual(metrics.counterTotal(label: "call_errors"), 0)
  }

  func testNameLabelAndDimensionsAreThoseOfTheDefinition() throws {
    let work: IntBlock = { $0 + 1 }
    try Block(work).install(
      .timer("checkout", label: "shop", dimensions: [("shop", "books")], factory: metrics))
    _ = work(4)
    let timer = try metrics.expectTimer(
      "shop_duration", [("code", "checkout"), ("shop", "books")])
    XCTAssertEqual(timer.values.count, 1)
  }

  func testTheErrorsOfMessagesAreCounted() throws {
    let hook = try Page.target("tear:").install(.timer(factory: metrics))
    defer { hook.remove() }
    XCTAssertEqual(try Page().send("tear:", 1, returning: Int.self), 1)
    XCTAssertThrowsError(try Page().send("tear:", 2, returning: Int.self))
    let dimensions = [("code", "Page.tear:")]
    XCTAssertEqual(try metrics.expectCounter("call_errors", dimensions).totalValue, 1)
    XCTAssertEqual(try metrics.expectTimer("call_duration", dimensions).values.count, 2)
  }

  func testCallsOfAnImportedFunctionAreTimed() throws {
    // SAFETY: getenv has this signature.
    let function = unsafe try ImportedFunction("getenv", signature: "*r*")
    let hook = try function.install(.timer(factory: metrics))
    _ = unsafe getenv("CALL_TIMER_TESTS")
    hook.remove()
    let timer = try metrics.expectTimer("call_duration", [("code", "getenv")])
    XCTAssertGreaterThanOrEqual(timer.values.count, 1)
  }

  func testAVariadicCallThatGoesOnIsTimedUpToItsEnd() throws {
    let library = try LoadedLibrary(
      self, "variadic_timer",
      source: """
        #include <unistd.h>
        __attribute__((noinline)) int timed_wait(int count, ...) { usleep(2000); return count + 1; }
        int timed_call(void) { return timed_wait(4, 5.0) * 10; }
        """)
    // SAFETY: the functions are those of the source above.
    let function = unsafe try ImportedFunction(declaration: "int timed_wait(int, ...)")
    let hook = try function.install(.timer(factory: metrics))
    let call = unsafe try CFunction(symbol: "timed_call", library: library.path, signature: "i")
    XCTAssertEqual(try call(), Int32(50))
    hook.remove()
    let timer = try metrics.expectTimer("call_duration", [("code", "timed_wait")])
    XCTAssertEqual(timer.values.count, 1)
    XCTAssertTrue(timer.values.allSatisfy { $0 >= 2_000_000 }, "\(timer.values)")
  }

  func testATimerNamesTheCodeThatIsLoadedNow() throws {
    let definition = HookDefinition.timer(factory: metrics)
    // The kernel puts a library where the one before it was, unless another thread has mapped
    // memory in between; so several are loaded.
    let names = (1...8).map { "code\($0)" }
    let codes = try names.map { name in
      // SAFETY: the block lives while the closure runs.
      unsafe try LoadedLibrary.withBlock(self, "timer", of: name) { memory in
        let block = unsafe Block(unsafePointer: memory)
        let hook = try block.install(definition)
        XCTAssertEqual(try block.call(Int32(4)), Int32(5))
        hook.remove()
      }
    }
    XCTAssertTrue(
      zip(codes, codes.dropFirst()).contains { $0 == $1 },
      "no library was loaded where another had been: \(codes)")
    for name in names {
      let timer = try metrics.expectTimer("call_duration", [("code", "__\(name)_block_invoke")])
      XCTAssertEqual(timer.values.count, 1)
    }
  }

  func testCallsOfAHundredThreadsAreAllTimed() throws {
    let work: IntBlock = { $0 + 1 }
    let block = try Block(work)
    try block.install(.timer("work", factory: metrics))
    let threads = ThreadGroup()
    for _ in 0..<100 {
      threads.start { for _ in 0..<10 { _ = try? block.call(Int32(1)) as Int32 } }
    }
    threads.wait()
    XCTAssertEqual(metrics.timers(label: "call_duration").count, 1)
    XCTAssertEqual(
      try metrics.expectTimer("call_duration", [("code", "work")]).values.count, 1000)
  }

  func testLabelsAboveTheLimitAreOneTimer() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
    let waits = try EverySubmission.timeWaits(factory: metrics)
    for number in 0..<1010 { DispatchQueue(label: "limit \(number)").sync {} }
    waits.remove()
    XCTAssertEqual(metrics.timers(label: "queue_wait").count, 1001)
    XCTAssertGreaterThanOrEqual(
      try metrics.expectTimer("queue_wait", [("queue", "other")]).values.count, 10)
  }

  func testTheWaitOfABlockIsTimedByItsQueue() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
    let waits = try EverySubmission.timeWaits(factory: metrics)
    let queue = DispatchQueue(label: "waiting")
    let group = DispatchGroup()
    queue.suspend()
    queue.async {}
    queue.async(group: group) {}
    queue.async(group: group, execute: DispatchWorkItem {})
    let delayed = DispatchWorkItem {}
    queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: delayed)
    usleep(20_000)
    queue.resume()
    group.wait()
    delayed.wait()
    XCTAssertTrue(waits.remove())
    queue.sync {}
    let timer = try metrics.expectTimer("queue_wait", [("queue", "waiting")])
    XCTAssertEqual(timer.values.count, 3)
    XCTAssertTrue(timer.values.allSatisfy { $0 >= 20_000_000 }, "\(timer.values)")
  }
}
#endif
