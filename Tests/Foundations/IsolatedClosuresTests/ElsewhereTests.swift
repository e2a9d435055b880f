import BlockRuntime
import TestSupport
import XCTest

typealias Increment = @convention(block) (Int32) -> Int32

/// An actor that hooks a block with a closure of its own.
private actor Counter {
  private(set) var count = 0

  func hook(_ block: Block, _ errors: Recorder<String>) throws {
    try isolated(block).hook(.before, onError: { errors.record(code(of: $0)) }) { _ in
      self.count += 1
    }
  }

  func call(_ block: Block) throws -> Int32 { try block.call(1) }

  func start(_ timer: DelayTimer, _ ended: XCTestExpectation) {
    isolated(timer).perform(after: .milliseconds(1)) {
      self.count += 1
      ended.fulfill()
    }
  }
}

func code(of error: any Error) -> String {
  (error as? any BlockRuntimeError)?.code.rawValue ?? "\(error)"
}

private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let threads = ThreadGroup()
  threads.start(body)
  threads.wait()
}

/// Closures of one actor, whose turn comes elsewhere.
final class ElsewhereTests: XCTestCase {
  private let errors = Recorder<String>()

  private func makeBlock() throws -> Block { try Block({ $0 + 1 } as Increment) }

  @MainActor func testCallsOfOtherThreadsPassByAHook() async throws {
    var count = 0
    let (block, errors) = (try makeBlock(), errors)
    for position in [HookPositions.instead, .before, .after] {
      try isolated(block).hook(position, onError: { errors.record(code(of: $0)) }) { call in
        count += 1
        if call.position == .instead { try call.setResult(Int32(0)) }
      }
    }
    onAnotherThread { XCTAssertEqual(try? block.call(1) as Int32, 2) }
    XCTAssertEqual(count, 0)
    XCTAssertEqual(errors.entries, Array(repeating: "wrongExecutor", count: 3))
    XCTAssertEqual(try block.call(1), 0)
    XCTAssertEqual(count, 3)
  }

  func testTheErrorSaysWhereTheClosureBelongs() async throws {
    let block = try makeBlock()
    let messages = Recorder<String>()
    _ = try await MainActor.run {
      try isolated(block).hook(.before, onError: { messages.record("\($0)") }) { _ in }
    }
    await Task.detached { _ = try? block.call(1) as Int32 }.value
    XCTAssertEqual(
      messages.entries,
      [
        "wrongExecutor: a closure of MainActor was called elsewhere, and did not run: call it from "
          + "`await MainActor.run { … }`, or pass a @Sendable closure without isolated(_:)"
      ])
  }

  @MainActor func testAClosureOfTheMainActorRunsInTasksOfIt() async throws {
    var count = 0
    let (block, errors) = (try makeBlock(), errors)
    try isolated(block).hook(.before, onError: { errors.record(code(of: $0)) }) { _ in count += 1 }
    let _: Int32 = try block.call(1)
    await Task { @MainActor in _ = try? block.call(1) as Int32 }.value
    XCTAssertEqual(count, 2)
    await Task.detached { _ = try? block.call(1) as Int32 }.value
    XCTAssertEqual(count, 2)
    XCTAssertEqual(errors.entries, ["wrongExecutor"])
  }

  func testAClosureOfAnActorRunsOnIt() async throws {
    let (counter, other, block) = (Counter(), Counter(), try makeBlock())
    try await counter.hook(block, errors)
    for actor in [counter, other] {
      let result = try await actor.call(block)
      XCTAssertEqual(result, 2)
    }
    let count = await counter.count
    XCTAssertEqual(count, 1)
    XCTAssertEqual(errors.entries, ["wrongExecutor"])
  }

  func testARealTimerRunsABlockOnItsActor() async {
    let (counter, ended) = (Counter(), expectation(description: "ended"))
    await counter.start(.shared, ended)
    await fulfillment(of: [ended], timeout: 60)
    let count = await counter.count
    XCTAssertEqual(count, 1)
  }

  func testARealTimerRefusesBlocksOfAScope() {
    withIsolationScope { scope in
      let timer = scope.isolated(DelayTimer.shared)
      XCTAssertEqual(timer.perform(after: .zero) {}.state, .cancelled)
      expectError(.wrongExecutor, "use a ManualClock") {
        try timer.repeat(every: .seconds(1)) { _ in }
      }
    }
  }

  @MainActor func testBlocksDoNotRunIfAnotherThreadAdvancesTheClock() {
    var count = 0
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock)
    isolated(timer).perform(after: .seconds(1)) { count += 1 }
    onAnotherThread { clock.advance(by: .seconds(1)) }
    XCTAssertEqual(count, 0)
    XCTAssertEqual(timer.pendingCount, 0)
  }

  @MainActor func testSendersElsewhereGetAnErrorFromADelegate() async throws {
    var count = 0
    let delegate = DynamicDelegate(
      try MessageProtocol("Delegate", [.required("add:", signature: "v@:q")]))
    try isolated(delegate).implement("add:") { (number: Int) in count += number }
    onAnotherThread {
      expectError(.wrongExecutor, "`add:`: a closure of MainActor was called elsewhere") {
        try delegate.send("add:", 3)
      }
    }
    try delegate.send("add:", 3)
    XCTAssertEqual(count, 3)
  }

  @MainActor func testAHandlerOfEventsElsewhereIsPassedBy() async throws {
    final class Button: EventSender, Sendable {}
    var count = 0
    let button = Button()
    let event = EventMask(bit: 0)
    try isolated(button.eventHandlers).add(for: event) { _, _ in count += 1 }
    onAnotherThread { XCTAssertEqual(button.eventHandlers.send(event), 1) }
    XCTAssertEqual(count, 0)
    button.eventHandlers.send(event)
    XCTAssertEqual(count, 1)
  }

  @MainActor func testAValueIsReadOnlyWhereItBelongs() async throws {
    final class Owner: Sendable {}
    final class Notes {}
    let (owner, key) = (Owner(), AssociationKey<Notes>("notes"))
    try isolated(key).set(Notes(), on: owner)
    onAnotherThread {
      withIsolationScope { scope in
        let key = scope.isolated(key)
        XCTAssertNil(key.value(of: owner))
        expectError(.wrongExecutor) { _ = try key.value(of: owner, default: Notes()) }
      }
    }
    XCTAssertNotNil(isolated(key).value(of: owner))
    onAnotherThread {
      withIsolationScope { XCTAssertNil($0.isolated(key).remove(from: owner)) }
    }
    XCTAssertNil(isolated(key).value(of: owner))
  }

  @MainActor func testAnObserverElsewhereIsPassedByAndStays() {
    final class Model: KeyValueObservable, @unchecked Sendable {
      @Observed var count = 0
    }
    var count = 0
    let model = Model()
    isolated(model).observe(\.count) { _, _ in count += 1 }
    onAnotherThread { model.count = 1 }
    XCTAssertEqual(count, 0)
    model.count = 2
    XCTAssertEqual(count, 1)
  }

}
