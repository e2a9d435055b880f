#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import GRDB
import Invocations
import MessageForwarding
import MemoDatabases
import TestSupport
import XCTest

/// The two tiers together: which answers, and what is in both.
final class TierTests: XCTestCase {
  func testAnAnswerFromMemoryDoesNotReadTheFile() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { database, memo in
      XCTAssertEqual(try block.square(3), 9)
      database.flush()
      // Whoever reads the file now fails.
      try DatabaseQueue(path: files.path).write { try $0.execute(sql: "DROP TABLE result") }
      for _ in 0..<100 { XCTAssertEqual(try block.square(3), 9) }
      XCTAssertEqual([memo.hits, database.statistics.failures, block.count], [100, 0, 1])
      XCTAssertEqual(try block.square(4), 16)
      XCTAssertGreaterThan(database.statistics.failures, 0)
    }
  }

  func testAResultFromTheFileGoesIntoMemoryWithItsCost() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open()
    let installed = try block.block.install(
      .memoizing(in: database, named: "block", cost: { _, _ in 7 }))
    _ = try block.square(3)
    installed.hook.remove()
    let second = try block.block.install(
      .memoizing(in: database, named: "block", cost: { _, _ in 100 })
    ).handle
    for _ in 0..<3 { XCTAssertEqual(try block.square(3), 9) }
    XCTAssertEqual([second.hits, second.misses, second.statistics.totalCost], [3, 0, 7])
    database.flush()
    XCTAssertEqual(
      [database.statistics.hits, database.statistics.totalCost, block.count], [1, 7, 1])
  }

  func testOnlyTheSameNameVersionSignatureAndKeyShareResults() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let calls = Recorder<String>()
    func call(_ signature: String, _ name: String, _ version: Int, keyed: Bool = false) throws {
      let block = try CountedBlock(signature) { call in
        calls.record("\(signature) \(name) \(version)")
        try call.setResult(1)
      }
      let definition: HandleDefinition<Memo> =
        keyed
        ? .memoizing(in: database, named: name, version: version, key: { _ in 1 })
        : .memoizing(in: database, named: name, version: version)
      try block.block.install(definition)
      _ = try block.block.call(values: [.integer(1)])
      block.block.removeHooks()
    }
    for _ in 0..<2 {
      for version in 1...2 {
        for name in ["a", "b", "a\" \"1"] {
          for signature in ["q@?q", "q@?i", "i@?q"] { try call(signature, name, version) }
        }
      }
      try call("q@?q", "a", 1, keyed: true)
    }
    XCTAssertEqual(calls.entries.count, 19)
  }

  private struct Key: Codable, Hashable, Sendable {
    var name: String
    var numbers: [Double]
  }

  /// A key of which only a part is coded.
  private struct Partial: Codable, Hashable, Sendable {
    var name = "same"
    var number: Int
    enum CodingKeys: CodingKey { case name }
    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
      number = 0
    }
  }

  func testTheCallersKeysAreStoredAsJSON() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    for round in 0..<2 {
      let database = try files.open()
      let installed = try block.block.install(
        .memoizing(
          in: database, named: "block",
          key: { call in
            let value: Int = try call.argument(1)
            return Key(name: "é\u{0}\"", numbers: [Double(value), .infinity, -0.0])
          }))
      let memo = installed.handle
      for value in 0..<5 { XCTAssertEqual(try block.square(value), value * value) }
      XCTAssertEqual([block.count, database.statistics.hits], [5, 5 * round])
      database.flush()
      XCTAssertEqual(
        memo.removeAll {
          round == 1 && $0.key == AnyHashable(Key(name: "é\0\"", numbers: [2, .infinity, 0]))
        },
        round)
      installed.hook.remove()
    }
  }

  func testAKeyOfWhichAPartIsNotCodedGivesNoWrongResult() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open()
    for _ in 0..<2 {
      let installed = try block.block.install(
        .memoizing(
          in: database, named: "block", key: { Partial(number: try $0.argument(1)) }))
      for value in 0..<5 { XCTAssertEqual(try block.square(value), value * value) }
      installed.hook.remove()
    }
    database.flush()
    // Only the key that is decoded to itself is in the file.
    XCTAssertEqual([database.statistics.count, block.count], [1, 9])
  }

  func testAllIsFreedAndTheFilesAreClosedWithTheDatabaseAndItsHooks() throws {
    func openFiles(_ files: DatabaseFiles) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)")
        return target?.hasPrefix(files.path) ?? false
      }
    }
    let files = try DatabaseFiles(self)
    final class Token: Sendable {}
    weak var captured: Token?
    weak var kept: MemoDatabase?
    func use() throws {
      let token = Token()
      captured = token
      let block = try CountedBlock.squares()
      let database = try files.open()
      kept = database
      try block.block.install(
        .memoizing(
          in: database, named: "arguments",
          cost: { _, _ in
            withExtendedLifetime(token) { 1 }
          }))
      let other = try CountedBlock.squares()
      let installed = try other.block.install(
        .memoizing(
          in: database, named: "keys",
          key: { call in try withExtendedLifetime(token) { try call.argument(1, as: Int.self) } }))
      for value in 0..<100 {
        XCTAssertEqual(try block.square(value), value * value)
        XCTAssertEqual(try other.square(value), value * value)
      }
      XCTAssertGreaterThan(try openFiles(files), 0)
      database.flush()
      installed.hook.remove()
    }
    try use()
    XCTAssertNil(captured)
    XCTAssertNil(kept)
    XCTAssertEqual(try openFiles(files), 0)
  }

  func testClosuresMayUseTheDatabaseAndTheBlock() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open()
    let memo = try block.block.install(
      .memoizing(
        in: database, named: "block", limits: MemoLimits(count: 1),
        cost: { arguments, _ in
          database.flush()
          return (arguments.first == .integer(1)) ? (try? block.square(2)) ?? 0 : 1
        },
        key: { call in
          _ = database.statistics
          return try call.argument(1, as: Int.self)
        })
    ).handle
    XCTAssertEqual(try block.square(1), 1)
    XCTAssertEqual(try block.square(3), 9)
    let count = memo.removeAll { call in
      database.flush()
      database.remove(key: 7, named: "block")
      return (try? block.square(5)) == 25 && call.key == AnyHashable(1)
    }
    XCTAssertEqual(count, 1)
    XCTAssertEqual([block.count, try block.square(1), block.count], [4, 1, 5])
  }

  func testWithAKeyAndTextThatDoesNotEndNothingElseIsRead() throws {
    let outcome = try DatabaseFiles(self).run("unread")
    XCTAssertEqual([outcome.output, outcome.errors, "\(outcome.status)"], ["3 3\n", "", "0"])
  }

  func testAHandlerOfEveryBlockMayUseAMemoizedBlock() throws {
    let files = try DatabaseFiles(self)
    let outcome = Recorder<String>()
    expectToEnd("the program") {
      if let end = try? files.run("everyblock") { outcome.record("\(end.status) \(end.output)") }
    }
    XCTAssertEqual(outcome.entries, ["0 written\n"])
  }

  private final class Page: MessageReceiver, Sendable {
    let calls = Recorder<Int>()

    func double(_ number: Int) -> Int {
      calls.record(number)
      return number * 2
    }

    static var methods: MethodTable { MethodTable(Page.self) { Method("double:", Page.double) } }
  }

  func testAMethodNeedsAKeyAndIsFoundByItInTheNextProcess() throws {
    let files = try DatabaseFiles(self)
    for (round, calls) in [[3], []].enumerated() {
      let (database, page) = (try files.open(), Page())
      expectError(.notMemoizable, "`key:`") {
        try Page.target("double:").install(.memoizing(in: database, named: "double"))
      }
      XCTAssertTrue(Page.target("double:").hooks.isEmpty)
      let memo = try Page.target("double:").install(
        .memoizing(in: database, named: "double", key: { try $0.argument(2, as: Int.self) }))
      XCTAssertEqual(try page.send("double:", 3), 6)
      XCTAssertEqual(page.calls.entries, calls, "round \(round)")
      database.flush()
      memo.hook.remove()
    }
  }

  func testWhatMeansSomethingInOneProcessOnlyIsRefused() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let refusals = [
      ("^v@?i", "a pointer"), ("@?@?i", "a block"), ("#@?i", "a class"), (":@?i", "a selector"),
      ("{P=i^v}@?i", "a pointer"), ("{P=i@}@?i", "an object"), ("(U=i*)@?i", "a pointer"),
      ("@@?i", "`coding:`"), ("@\"Page\"@?i", "`coding:`"), ("i@?#", "a class"),
      ("i@?^v", "`key:`"),
      ("i@?:", "a selector"), ("i@?@\"Page\"", "`key:`"), ("i@?{P=@}", "an object"),
      ("i@?@?", "a block"), ("v@?i", "nothing"),
    ]
    for (signature, text) in refusals {
      let block = try Block(signature: signature) { _ in }
      expectError(.notMemoizable, text) {
        try block.install(.memoizing(in: database, named: "block"))
      }
    }
    let block = try CountedBlock.squares().block
    expectError(.notMemoizable, "`coding:`") {
      try block.install(.memoizing(in: database, named: "block", coding: .text))
    }
    expectError(.invalidLimit) {
      try block.install(.memoizing(in: database, named: "block", limits: MemoLimits(count: 0)))
    }
    let text = try CountedBlock("@\"NSString\"@?i") { try $0.setResult(NSString("text")) }
    for _ in 0..<2 {
      try files.with(text) { _, _ in
        XCTAssertEqual(try text.block.call(1, returning: NSString.self), "text")
      }
    }
    XCTAssertEqual(text.count, 1)
  }
}
#endif
