#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import Invocations
import MemoDatabases
import TestSupport
import XCTest

/// Files that several threads and processes use, and processes that are killed meanwhile.
final class SharedFileTests: XCTestCase {
  func testThreadsShareAFileAndTheLimitHolds() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(MemoLimits(count: 50))
    let memo = try block.block.install(
      .memoizing(in: database, named: "block", limits: MemoLimits(count: 5))
    ).handle
    let rounds = shortened(2000)
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      for _ in 0..<rounds {
        let value = Int.random(in: 0..<100, using: &generator)
        switch Int.random(in: 0..<60, using: &generator) {
        case 0: _ = try? memo.remove(arguments: [.integer(Int128(value))])
        case 1: memo.removeAll { $0.arguments == [.integer(Int128(value))] }
        case 2: if value < 20 { memo.removeAll() } else { _ = database.statistics }
        default: XCTAssertEqual(try? block.square(value), value * value)
        }
      }
    }
    database.flush()
    XCTAssertLessThanOrEqual(database.statistics.count, 50)
    XCTAssertEqual([database.statistics.failures, database.statistics.damaged], [0, 0])
    memo.removeAll()
    XCTAssertEqual([database.statistics.count, memo.count], [0, 0])
  }

  func testNoRemovedResultComesBack() throws {
    let files = try DatabaseFiles(self)
    let version = Recorded(0)
    let block = try CountedBlock("q@?q") { try $0.setResult(version.value) }
    let database = try files.open()
    let memo = try block.block.install(
      .memoizing(in: database, named: "block", limits: MemoLimits(count: 1))
    ).handle
    let threads = ThreadGroup()
    let isOver = Recorded(false)
    for _ in 0..<2 {
      threads.start {
        while !isOver.value { for value in 0..<3 { _ = try? block.square(value) } }
      }
    }
    for round in 1...shortened(300) {
      version.value = round
      if round % 2 == 0 {
        memo.removeAll()
      } else {
        for value in 0..<3 { _ = try memo.remove(arguments: [.integer(Int128(value))]) }
      }
      for value in 0..<3 { XCTAssertEqual(try block.square(value), round) }
    }
    isOver.value = true
    threads.wait()
  }

  func testManyResultsWaitForTheirWriting() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let count = shortened(3000)
    try files.with(block) { database, _ in
      for value in 0..<count { _ = try block.square(value) }
      database.flush()
      XCTAssertEqual([database.statistics.written, database.statistics.count], [count, count])
    }
  }

  func testOneProcessFindsWhatAnotherHasWritten() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open()
    try block.block.install(.memoizing(in: database, named: "squares"))
    XCTAssertEqual(try block.square(3), 9)
    database.flush()
    let outcome = try files.run("fill", "0", "40")
    XCTAssertEqual([outcome.output, outcome.errors], [String(repeating: "+", count: 40), ""])
    for value in stride(from: 0, to: 40, by: 2) {
      XCTAssertEqual(try block.square(value), value * value)
    }
    XCTAssertEqual([block.count, database.statistics.hits], [1, 20])
    XCTAssertEqual(database.statistics.count, 41)
  }

  func testTwoProcessesAtOnceKeepTheLimitAndNoneFails() throws {
    let files = try DatabaseFiles(self)
    let outcomes = Recorder<String>()
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      let outcome = try? files.run("share", "\(number)", "2000", "60")
      outcomes.record(outcome.map { "\($0.status) \($0.output)\($0.errors)" } ?? "none")
    }
    for text in outcomes.entries { XCTAssertTrue(text.hasPrefix("0 failures 0 hits"), text) }
    let block = try CountedBlock.squares()
    try files.with(block, named: "squares") { database, _ in
      XCTAssertEqual(database.statistics.count, 60)
      for value in 0..<128 { XCTAssertEqual(try block.square(value), value * value) }
      XCTAssertEqual([database.statistics.hits, database.statistics.damaged], [60, 0])
    }
  }

  /// Starts a process that fills the file, and kills it some results later.
  ///
  /// - Returns: How many results its callers had.
  private func kill(_ files: DatabaseFiles, first: Int, after count: Int) throws -> Int {
    let process = Process()
    process.executableURL = try DatabaseFiles.program
    process.arguments = ["fill", files.path, "\(first)", "5000"]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var returned = 0
    while returned < count {
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { break }
      returned += bytes.count
    }
    Glibc.kill(process.processIdentifier, SIGKILL)
    returned += output.fileHandleForReading.readDataToEndOfFile().count
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .uncaughtSignal)
    return returned
  }

  func testAProcessThatIsKilledLosesItsLastResultsAtMostAndNoneIsWrong() throws {
    let files = try DatabaseFiles(self)
    var generator = SeededGenerator(seed: 200)
    let kills = isSanitized ? 20 : 200
    var (returned, lost, most) = (0, 0, 0)
    for round in 0..<kills {
      let first = round * 10_000
      let own = try kill(files, first: first, after: Int.random(in: 0..<400, using: &generator))
      // The next one to open the file finds it whole.
      let database = try files.open()
      var found = 0
      for (name, parity) in [("squares", 0), ("texts", 1)] {
        let block = try parity == 0 ? CountedBlock.squares() : CountedBlock.texts()
        try block.block.install(.memoizing(in: database, named: name))
        var calls = 0
        for value in first..<first + own where value % 2 == parity {
          calls += 1
          if parity == 0 {
            XCTAssertEqual(try block.square(value), value * value)
          } else {
            XCTAssertEqual(try block.block.call(value) as String, CountedBlock.text(value))
          }
        }
        found += calls - block.count
      }
      XCTAssertEqual([database.statistics.damaged, database.statistics.failures], [0, 0])
      XCTAssertLessThanOrEqual(own - found, MemoDatabase.maximumUnwritten)
      (returned, lost, most) = (returned + own, lost + own - found, max(most, own - found))
      if round % 10 == 9 { database.removeAll() }
    }
    XCTAssertGreaterThan(returned, 0)
    print("\(kills) kills: \(returned) results, \(lost) lost, at most \(most) at once, none wrong")
  }
}

extension CountedBlock {
  /// A block that returns a text about a number.
  static func texts() throws -> CountedBlock {
    try CountedBlock("*@?q") { call in try call.setResult(text(call.argument(1))) }
  }

  static func text(_ value: Int) -> String { String(repeating: "\(value) ", count: value % 300) }
}
#endif
