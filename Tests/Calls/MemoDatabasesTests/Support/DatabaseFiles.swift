#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import GRDB
import Invocations
import MemoDatabases
import Synchronization
import TestSupport
import XCTest

/// Files of results in a directory that is removed after the test.
struct DatabaseFiles {
  let directory: String

  /// The time that all databases have, in nanoseconds since 1970.
  let time = Recorded(Int64(1_000_000_000_000_000_000))

  /// What was reported.
  let reports = Recorder<MemoizationError>()

  init(_ test: XCTestCase) throws { directory = try CompiledFiles(test).directory }

  var path: String { directory + "/results.sqlite" }

  /// Opens the file.
  func open(
    _ limits: MemoLimits = MemoLimits(count: nil), patience: Double = 5
  ) throws(MemoizationError) -> MemoDatabase {
    let (time, reports) = (time, reports)
    return try MemoDatabase(
      at: path, limits: limits, patience: patience, time: { time.value },
      onFailure: { reports.record($0) })
  }

  /// Opens the file, has a block memoized in it, and calls a closure.
  func with<Result>(
    _ block: CountedBlock, named name: String = "block", version: Int = 1,
    coding: ResultCoding? = nil, limits: MemoLimits = MemoLimits(count: nil),
    _ body: (MemoDatabase, Memo) throws -> Result
  ) throws -> Result {
    let database = try open(limits)
    let installed = try block.block.install(
      .memoizing(
        in: database, named: name, version: version, coding: coding))
    let memo = installed.handle
    let result = try body(database, memo)
    database.flush()
    installed.hook.remove()
    return result
  }

  /// Has the file locked by another connection while a closure runs.
  func locked(_ body: () throws -> Void) throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try body()
    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
  }

  /// Runs the program beside the tests.
  func run(_ mode: String, _ arguments: String...) throws -> CommandLineTool.Outcome {
    try CommandLineTool.run([mode, path] + arguments, executable: try Self.program)
  }

  /// The program beside the tests.
  static var program: URL {
    get throws {
      try CommandLineTool.url.deletingLastPathComponent().appendingPathComponent("MemoProgram")
    }
  }
}

/// A value that several threads read and write.
final class Recorded<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A block that counts its calls.
struct CountedBlock {
  let block: Block
  private let calls = Recorder<Void>()

  init(_ signature: String, _ body: @escaping @Sendable (inout CallFrame) throws -> Void) throws {
    let calls = calls
    block = try Block(signature: signature) { call in
      calls.record(())
      try body(&call)
    }
  }

  /// A block that returns a value.
  init(_ signature: String, returning value: CValue) throws {
    // SAFETY: the values of the tests are numbers and text, which nothing changes.
    nonisolated(unsafe) let value = value
    try self.init(signature) { try unsafe $0.setResultValue(value) }
  }

  /// A block that returns the square of a number.
  static func squares() throws -> CountedBlock {
    try CountedBlock("q@?q") { call in
      let value: Int = try call.argument(1)
      try call.setResult(value * value)
    }
  }

  /// How often the original ran.
  var count: Int { calls.entries.count }

  func square(_ value: Int) throws -> Int { try block.call(value) }
}
#endif
