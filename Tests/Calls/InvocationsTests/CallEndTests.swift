import Invocations
import Synchronization
import XCTest

/// What the end of a call does for those who await the ends of others: nothing.
final class CallEndTests: XCTestCase {
  /// A function whose calls run a closure, by a receiver that is retired from inside of them.
  private final class Function: Sendable {
    /// How often somebody looked whether its calls have ended.
    let looks = Atomic(0)
    private let mark = HandlerMark()
    private let entry = Mutex<CallEntry?>(nil)

    private static func receiver(
      _ mark: HandlerMark?, _ body: @escaping @Sendable () throws -> Void
    ) throws -> CallReceiver {
      try CallReceiver(
        CallInterface.of("v"), hiddenArgumentCount: 0,
        first: CallHandler(mark: mark, onError: { XCTFail("\($0)") }) { _ in try body() })
    }

    init(_ body: @escaping @Sendable (Function) throws -> Void) throws {
      let made = try CallEntry(
        CallInterface.of("v"),
        receiver: Self.receiver(mark) { [unowned self] in try body(self) }, .ownCode)
      entry.withLock { $0 = made }
    }

    func call() throws {
      // Its calls refer to it without keeping it.
      defer { withExtendedLifetime(self) {} }
      let entry = try XCTUnwrap(entry.withLock { $0 })
      // SAFETY: the entry's code is a function of that signature.
      let function = unsafe try CFunction(unsafeAddress: entry.code, signature: "v")
      try function() as Void
    }

    /// Gives later calls to another receiver, and awaits the ends of those that are running.
    func retire() throws {
      let other = try Self.receiver(nil) {}
      let last = try XCTUnwrap(entry.withLock { $0 }).replaceReceiver(with: other)
      HazardPointers.retire(last)
      HazardPointers.scan {
        self.looks.add(1, ordering: .relaxed)
        return self.mark.runningCalls
      }
    }

    var lookCount: Int { looks.load(ordering: .relaxed) }
  }

  /// Nests calls, each of which has its receiver retired before it goes on.
  private static func nest(
    _ depth: Int, _ outer: [Function] = [], _ body: @escaping @Sendable ([Function]) throws -> Void
  ) throws {
    guard depth > 0 else { return try body(outer) }
    try Function { function in
      try function.retire()
      try Self.nest(depth - 1, outer + [function], body)
    }.call()
  }

  func testTheEndOfACallLooksAtNothingThatCallsAroundItKeep() throws {
    for depth in [1, 50] {
      try Self.nest(depth) { outer in
        let looks = outer.map(\.lookCount)
        let inner = try Function { _ in }
        for _ in 0..<100 { try inner.call() }
        XCTAssertEqual(outer.map(\.lookCount), looks)
      }
    }
  }

  func testTheEndOfACallLooksAtWhatThatCallKeepsOnce() throws {
    for depth in [1, 50] {
      let all = Mutex<[Function]>([])
      try Self.nest(depth) { outer in all.withLock { $0 = outer } }
      // Once when it was retired, and once when its call had ended.
      for function in all.withLock({ $0 }) { XCTAssertEqual(function.lookCount, 2) }
    }
  }

  func testTheEndOfTheOutermostOfNestedCallsIsAwaitedForAllOfThem() throws {
    let left = Atomic(200)
    let function = try Function { function in
      let isInnermost = left.subtract(1, ordering: .relaxed).newValue == 0
      if isInnermost { try function.retire() } else { try function.call() }
    }
    try function.call()
    XCTAssertEqual(function.lookCount, 2)
  }
}
