import BlockABI
import BlockHooks
import CFixtures
import CallMemoization
import Invocations
import Synchronization
import TestSupport
import XCTest

final class MemoizingHookTests: XCTestCase {
  func testASecondCallWithTheSameNumbersIsAnsweredWithTheKeptResult() throws {
    let counted = try CountedBlock("i@?id") { call in
      try call.setResult(call.argument(1, as: Int32.self) - 10)
    }
    let installed = try counted.block.install(.memoizing())
    let memo = installed.handle
    for _ in 0..<3 {
      XCTAssertEqual(try counted.block.call(3, 4.5), Int32(-7))
      XCTAssertEqual(try counted.block.call(4, 4.5), Int32(-6))
      XCTAssertEqual(try counted.block.call(3, 4.25), Int32(-7))
    }
    XCTAssertEqual(counted.count, 3)
    XCTAssertEqual([memo.hits, memo.misses, memo.count, memo.statistics.totalCost], [6, 3, 3, 3])
    XCTAssertTrue(installed.hook.remove())
    XCTAssertFalse(installed.hook.remove())
    XCTAssertEqual(try counted.block.call(3, 4.5), Int32(-7))
    XCTAssertEqual([counted.count, memo.count, memo.misses], [4, 3, 3])
  }

  func testABlockOfSwiftIsMemoizedForItsCallers() throws {
    let calls = Recorder<Int32>()
    let square: @convention(block) (Int32) -> Int64 = {
      calls.record($0)
      return -Int64($0) * Int64($0)
    }
    let installed = try Block(square).install(.memoizing())
    XCTAssertEqual(
      [square(70000), square(70000), square(-1)], [-4_900_000_000, -4_900_000_000, -1])
    XCTAssertEqual(calls.entries, [70000, -1])
    installed.hook.remove()
  }

  func testEveryNumberOfOneWordIsAnsweredAsItWasReturned() throws {
    let samples: [(String, CValue)] = [
      ("c", -5), ("C", 250), ("s", -30000), ("S", 60000), ("i", -2_000_000_000),
      ("I", 4_000_000_000), ("q", -5), ("Q", .integer(Int128(UInt64.max))), ("f", .float(-1.5)),
      ("d", -1e300), ("B", true),
    ]
    for (type, value) in samples {
      let counted = try CountedBlock("\(type)@?\(type)") { call in
        try call.setResultValue(call.argumentValue(1))
      }
      try counted.block.install(.memoizing())
      for _ in 0..<3 { XCTAssertEqual(try counted.block.call(values: [value]), value, type) }
      XCTAssertEqual(counted.count, 1, type)
    }
  }

  func testABlockWithoutArgumentsRunsOnce() throws {
    let counted = try CountedBlock("d@?") { call in try call.setResult(2.5) }
    try counted.block.install(.memoizing())
    XCTAssertEqual(try counted.block.call(), 2.5)
    XCTAssertEqual(try counted.block.call(), 2.5)
    XCTAssertEqual(counted.count, 1)
  }

  func testFloatsAreToldApartByTheirBits() throws {
    for signature in ["i@?d", "i@?ddd"] {
      let counted = try CountedBlock(signature) { call in try call.setResult(Int32(1)) }
      try counted.block.install(.memoizing())
      let others = [CValue](repeating: 1.0, count: signature.count - 4)
      for value in [Double.nan, 0.0, -0.0, .nan] {
        _ = try counted.block.call(values: [.double(value)] + others)
      }
      XCTAssertEqual(counted.count, 3, signature)
    }
  }

  func testTextIsComparedByContentAndNullIsAValueOfItsOwn() throws {
    let counted = try CountedBlock("*@?**") { call in
      try call.setResultValue(call.argumentValue(1))
    }
    try counted.block.install(.memoizing())
    for _ in 0..<2 {
      XCTAssertEqual(try counted.block.call("grün", "b"), "grün")
      XCTAssertEqual(try counted.block.call("grü", "nb"), "grü")
      XCTAssertEqual(try counted.block.call("", "b"), "")
      XCTAssertNil(try counted.block.call(String?.none, "b") as String?)
      XCTAssertEqual(
        try counted.block.call(values: [.bytes([0xFF]), "b"]), .bytes([0xFF]))
    }
    XCTAssertEqual(counted.count, 5)
  }

  func testRecordsAreComparedByMembersAndUnionsByBytes() throws {
    let counted = try CountedBlock("q@?{P=c*{Q=d[2s]}}(U=if)T") { call in try call.setResult(7) }
    try counted.block.install(.memoizing())
    func record(_ letter: Int, _ text: String, _ last: Int) -> CValue {
      .structure([
        .integer(Int128(letter)), .cString(text),
        .structure([0.5, .array([1, CValue.integer(Int128(last))])]),
      ])
    }
    let wide = CValue.unsignedInteger(.max)
    for _ in 0..<2 {
      _ = try counted.block.call(values: [record(1, "a", 2), .bytes([1, 2, 3, 4]), wide])
      _ = try counted.block.call(values: [record(2, "a", 2), .bytes([1, 2, 3, 4]), wide])
      _ = try counted.block.call(values: [record(1, "b", 2), .bytes([1, 2, 3, 4]), wide])
      _ = try counted.block.call(values: [record(1, "a", 3), .bytes([1, 2, 3, 4]), wide])
      _ = try counted.block.call(values: [record(1, "a", 2), .bytes([1, 2, 3, 5]), wide])
      _ = try counted.block.call(values: [record(1, "a", 2), .bytes([1, 2, 3, 4]), 1])
    }
    XCTAssertEqual(counted.count, 6)
  }

  func testObjectsAreKeptAliveSoThatARecycledAddressIsNeverAnswered() throws {
    let tracker = LifetimeTracker()
    let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
    let memo = try counted.block.install(.memoizing()).handle
    for _ in 0..<50 {
      let object = tracker.track()
      for _ in 0..<2 { _ = try counted.block.call(object) as Int32 }
    }
    XCTAssertEqual([counted.count, memo.hits, tracker.alive], [50, 50, 50])
    let memoized = memo.removeAll { call in
      guard case .object(let object?)? = call.arguments.first else { return false }
      return object is LifetimeTracker.Tracked && call.result == 1
    }
    XCTAssertEqual([memoized, memo.count], [50, 0])
    tracker.expectNothingAlive()
  }

  func testBlocksAmongTheArgumentsNeedAKeyAndThoseOnTheStackAreNeverAnswered() throws {
    for signature in ["i@?@?i", "i@?{P=i@?}"] {
      let counted = try CountedBlock(signature) { call in try call.setResult(Int32(1)) }
      expectError(.notMemoizable) { _ = try counted.block.install(.memoizing()) }
    }
    // Swift ends the program when a closure that it lent is kept.
    let calling: @convention(block) (@convention(block) (Int32) -> Int32) -> Int32 = { $0(4) }
    let installed = try Block(calling).install(.memoizing(key: { _ in 0 }))
    let memo = installed.handle
    XCTAssertEqual(calling { $0 * 3 }, 12)
    XCTAssertEqual(calling { $0 * 5 }, 12)
    XCTAssertEqual([memo.hits, memo.misses], [1, 1])
    installed.hook.remove()
    let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
    let block = counted.block
    let stackMemo = try block.install(.memoizing()).handle
    withStackBlock { stackBlock in
      for _ in 0..<2 { _ = try block.call(values: [.block(stackBlock)]) }
    }
    XCTAssertEqual([counted.count, stackMemo.count], [2, 0])
  }

  func testResultsThatPointToSomethingAreKept() throws {
    let tracker = LifetimeTracker()
    let maker = try CountedBlock("@@?i") { call in try call.setResult(tracker.track()) }
    let memo = try maker.block.install(.memoizing()).handle
    let first: LifetimeTracker.Tracked = try maker.block.call(1)
    let second: LifetimeTracker.Tracked = try maker.block.call(1)
    XCTAssertTrue(first === second)
    XCTAssertFalse(try first === maker.block.call(2, returning: LifetimeTracker.Tracked.self))
    XCTAssertEqual([maker.count, memo.count], [2, 2])

    let text = try CountedBlock("{N=*i}@?i") { call in
      try call.setResultValue(.structure(["a text of some length", 5]))
    }
    try text.block.install(.memoizing())
    for _ in 0..<3 {
      XCTAssertEqual(
        try text.block.call(values: [1]), .structure(["a text of some length", 5]))
    }
    XCTAssertEqual(text.count, 1)
  }

  func testWhatCannotBeKeptIsRefusedWithTheRemedy() throws {
    for (signature, word) in [
      ("v@?i", "nothing to keep"), ("^v@?i", "resultPointersAreStable"),
      ("{R=i^i}@?i", "resultPointersAreStable"), ("(U=i*)@?i", "resultPointersAreStable"),
      ("i@?^i", "key"), ("i@?{R=i^i}", "key"), ("i@?[4i]", "key"), ("i@?^?", "key"),
      ("i@?(U=q@)", "key"),
    ] {
      let block = try Block(signature: signature) { _ in }
      XCTAssertThrowsError(try block.install(.memoizing()), signature) { error in
        XCTAssertEqual((error as? HookError)?.code, .notMemoizable)
        XCTAssertTrue("\(error)".contains(word), "\(error)")
      }
      XCTAssertTrue(block.hooks.isEmpty)
    }
  }

  func testStablePointersAreKeptOnRequest() throws {
    let counted = try CountedBlock("^v@?i") { call in
      unsafe try call.setResult(UnsafeRawPointer(bitPattern: 0x1000))
    }
    try counted.block.install(.memoizing(resultPointersAreStable: true))
    for _ in 0..<2 { XCTAssertEqual(try counted.block.call(values: [1]), .pointer(0x1000)) }
    XCTAssertEqual(counted.count, 1)
  }

  func testLimitsUnderWhichNothingCouldBeKeptAreRefused() throws {
    let block = try Block(signature: "i@?i") { _ in }
    for limits in [
      MemoLimits(count: 0), MemoLimits(count: -1), MemoLimits(cost: 0), MemoLimits(age: .zero),
      MemoLimits(age: .seconds(-1)),
    ] {
      expectError(.invalidLimit) { try block.install(.memoizing(limits: limits)) }
    }
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testNothingIsKeptWhereTheHookBelowSetsNoResult() throws {
    let counted = try CountedBlock("i@?i") { call in try call.setResult(Int32(1)) }
    let below = try counted.block.hook { _ in }
    let memo = try counted.block.install(.memoizing()).handle
    // A result that was set further out is not the block's.
    let above = try counted.block.hook { call in
      try call.setResult(Int32(5))
      try call.proceed()
    }
    XCTAssertEqual(try counted.block.call(1), Int32(5))
    XCTAssertEqual([memo.count, memo.misses], [0, 1])
    below.remove()
    above.remove()
    XCTAssertEqual(try counted.block.call(1), Int32(1))
    XCTAssertEqual(memo.count, 1)
  }

  func testTheKeyIsOfTheArgumentsBeforeTheHooksBelowChangeThem() throws {
    let counted = try CountedBlock("q@?*i") { call in
      try call.setResult(call.argument(2, as: Int.self))
    }
    try counted.block.hook(.before) { call in
      try call.setArgument(1, "changed")
      try call.setArgument(2, call.argument(2, as: Int.self) + 1)
    }
    let memo = try counted.block.install(
      .memoizing(cost: { arguments, _ in
        XCTAssertEqual(arguments, ["given", 1])
        return 3
      })
    ).handle
    for _ in 0..<2 { XCTAssertEqual(try counted.block.call("given", 1), 2) }
    XCTAssertEqual([counted.count, memo.hits, memo.statistics.totalCost], [1, 1, 3])
    XCTAssertTrue(try memo.remove(arguments: ["given", 1]))
  }
}

/// Runs a body with a block that lies on the stack.
private func withStackBlock(_ body: @escaping (Block) throws -> Void) {
  let use = StackBlockUse(body)
  let context = unsafe Unmanaged.passUnretained(use).toOpaque()
  unsafe fixture_with_stack_block(context) { context, block in
    guard let context = unsafe context, let block = unsafe block else { return }
    let use = unsafe Unmanaged<StackBlockUse>.fromOpaque(context).takeUnretainedValue()
    do {
      unsafe try use.body(Block(unsafePointer: block))
    } catch {
      XCTFail("\(error)")
    }
  }
  withExtendedLifetime(use) {}
}

private final class StackBlockUse {
  let body: (Block) throws -> Void

  init(_ body: @escaping (Block) throws -> Void) { self.body = body }
}
