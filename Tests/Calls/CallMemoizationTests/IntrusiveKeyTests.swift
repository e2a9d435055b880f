import BlockABI
import BlockHooks
import CallMemoization
import DelayedBlocks
import Dispatch
import Foundation
import Invocations
import TestSupport
import XCTest

/// Keys and results whose hashing, comparing and end use the hook that keeps them.
final class IntrusiveKeyTests: XCTestCase {
  /// A memoized block, by whatever its calls are told apart.
  private struct Subject: Sendable {
    let memo: Memo
    let time: ManualClock
    let call: @Sendable (Int) -> Void
    let remove: @Sendable (Int) -> Bool
  }

  /// A key whose hash says nothing.
  private struct Same: Hashable {
    let number: Int
    func hash(into hasher: inout Hasher) {}
  }

  private static let limits = MemoLimits(count: 4, age: .seconds(9))

  /// A value that Foundation makes an object of for each call.
  private struct Value: Hashable, Sendable { let intruder: Intruder }

  private static let subjects: [(name: String, make: @Sendable () throws -> Subject)] = [
    (
      "the caller's key",
      {
        let time = ManualClock()
        let block = try CountedBlock("@@?i") { try $0.setResult(Intruder(0)) }.block
        let installed = try block.install(
          .memoizing(
            limits: limits, clock: time,
            key: { call in
              Intruder(try call.argument(1, as: Int.self), hash: 1)
            }))
        let memo = installed.handle
        return Subject(
          memo: memo, time: time, call: { _ = try? block.call(values: [.integer(Int128($0))]) },
          remove: { memo.remove(key: Intruder($0, hash: 1)) })
      }
    ),
    (
      "a value in an object",
      {
        let time = ManualClock()
        let block = try CountedBlock("@@?@") { try $0.setResult(Intruder(0)) }.block
        let memo = try block.install(.memoizing(limits: limits, clock: time)).handle
        let arguments: @Sendable (Int) -> [CValue] = {
          [.object(Value(intruder: Intruder($0, hash: 1)) as AnyObject)]
        }
        return Subject(
          memo: memo, time: time, call: { _ = try? block.call(values: arguments($0)) },
          remove: { (try? memo.remove(arguments: arguments($0))) ?? false })
      }
    ),
  ]

  private static let uses: [(name: String, body: @Sendable (Subject) -> Void)] = [
    ("call what is kept", { $0.call(1) }),
    ("call what is not kept", { $0.call(9) }),
    ("call all", { subject in for number in 1...9 { subject.call(number) } }),
    ("remove one", { _ = $0.remove(1) }),
    ("remove what is not kept", { _ = $0.remove(9) }),
    ("remove by a predicate", { _ = $0.memo.removeAll { _ in true } }),
    (
      "remove all and call",
      {
        $0.memo.removeAll()
        $0.call(1)
      }
    ),
    ("read the numbers", { _ = $0.memo.statistics }),
    (
      "let results grow old",
      {
        $0.time.advance(by: .seconds(9))
        $0.call(1)
      }
    ),
    ("change the limits", { $0.memo.limits.count = 4 }),
  ]

  func testKeysAndResultsMayUseTheHookWhereverTheyAreHashedComparedAndFreed() {
    var occasions: Set<Intruder.Occasion> = []
    for (kind, make) in Self.subjects {
      for (name, use) in Self.uses {
        for (what, intrude) in Self.uses {
          let hasEnded = expectToEnd("\(kind): \(name), with intruders that \(what),") {
            do {
              let subject = try make()
              for number in 1...3 { subject.call(number) }
              Intruder.acting({ _ in intrude(subject) }, while: { use(subject) })
              XCTAssertEqual(Self.kept(by: subject.memo), subject.memo.count)
              subject.memo.removeAll()
            } catch { XCTFail("\(kind): \(error)") }
          }
          guard hasEnded else { return }
          occasions.formUnion(Intruder.occasions)
        }
      }
    }
    XCTAssertEqual(occasions, [.hash, .equality, .end])
  }

  /// How many different keys' results are kept.
  private static func kept(by memo: Memo) -> Int {
    var keys: Set<AnyHashable> = []
    _ = memo.removeAll { call in
      if let key = call.key { keys.insert(key) }
      if case .object(let object)? = call.arguments.first, let value = object as? Value {
        keys.insert(value)
      }
      return false
    }
    return keys.count
  }

  func testOneResultIsKeptForEachKeyWhateverTheirHashesOnEightThreads() throws {
    let counted = try CountedBlock("q@?i") { call in
      try call.setResult(call.argument(1, as: Int.self) * 10)
    }
    let memo = try counted.block.install(
      .memoizing(
        limits: MemoLimits(count: 6),
        key: { call in
          Same(number: try call.argument(1, as: Int.self))
        })
    ).handle
    let block = counted.block
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      for round in 0..<500 {
        let number = Int.random(in: 0..<9, using: &generator)
        XCTAssertEqual(try? block.call(number), number * 10)
        if round % 9 == 0 { _ = memo.remove(key: Same(number: number)) }
        if round % 100 == 0 { memo.removeAll() }
      }
    }
    XCTAssertEqual(memo.hits + memo.misses, 4000)
    XCTAssertEqual(memo.misses, counted.count)
    XCTAssertLessThanOrEqual(memo.count, 6)
    XCTAssertEqual(Self.kept(by: memo), memo.count)
  }

  func testResultsOfKeysOfOneHashGoInTheOrderOfTheirUse() throws {
    let counted = try CountedBlock("q@?i") { call in
      try call.setResult(call.argument(1, as: Int.self))
    }
    let memo = try counted.block.install(
      .memoizing(
        limits: MemoLimits(count: 2),
        key: { call in
          Same(number: try call.argument(1, as: Int.self))
        })
    ).handle
    for value in [1, 2, 1, 3, 1, 2] { _ = try counted.block.call(value) as Int }
    XCTAssertEqual(
      [counted.count, memo.hits, memo.statistics.evictions, memo.count], [4, 2, 2, 2])
    XCTAssertEqual([1, 2, 3].map { memo.remove(key: Same(number: $0)) }, [true, true, false])
  }
}
