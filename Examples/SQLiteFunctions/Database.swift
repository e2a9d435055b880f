// SQLite's callbacks as Swift closures and blocks: each lives as long as SQLite may call it.
import BlockRuntime
import CSQLite

// SAFETY, for the whole file: the callbacks have the signatures of SQLite's header, and what they
// are passed is valid while they run. A database is used by one thread at a time.

/// A database connection.
@safe
final class Database {
  /// What SQLite refuses, in its words.
  struct Failure: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
  }

  private let connection: OpaquePointer
  /// SQLite tells nobody when it lets go of this one: it is kept until another takes its place.
  private var updateHook: FunctionPointer?

  init(path: String = ":memory:") throws {
    var connection: OpaquePointer?
    let code = unsafe sqlite3_open(path, &connection)
    guard let connection = unsafe connection, code == SQLITE_OK else {
      unsafe sqlite3_close(connection)
      throw Failure(message: unsafe String(cString: sqlite3_errstr(code)))
    }
    unsafe self.connection = unsafe connection
  }

  // Functions and collations that are left are let go of here.
  deinit { unsafe sqlite3_close_v2(connection) }

  private func check(_ code: Int32) throws {
    if code == SQLITE_OK { return }
    throw Failure(message: unsafe String(cString: sqlite3_errmsg(connection)))
  }

  /// Runs statements; the closure gets each row.
  func execute(_ sql: String, row: @escaping @Sendable ([String]) -> Void = { _ in }) throws {
    // SAFETY: SQLite passes as many texts as it says, nil for NULL.
    try FunctionPointer.withFunctionPointer(signature: "i^vi^*^*") { call in
      let count = Int(try call.argument(1, as: Int32.self))
      let texts = unsafe try call.argument(2, as: UnsafePointer<UnsafePointer<CChar>?>.self)
      let values = (0..<count).map { column in
        unsafe texts[column].map { unsafe String(cString: $0) } ?? "NULL"
      }
      row(values)
    } _: { function in
      try check(
        unsafe sqlite3_exec(connection, sql, function.value(as: RowCallback.self), nil, nil))
    }
  }

  /// Makes a block an SQL function, which takes what its signature says.
  ///
  /// NULL makes NULL, without a call.
  func define(_ name: String, as block: Block) throws {
    let parameterCount = Int32((try block.signature?.arguments.count ?? 1) - 1)
    let function = try FunctionPointer(signature: "v^vi^^v") { call in
      let context = unsafe try call.argument(0, as: OpaquePointer.self)
      do {
        let count = Int(try call.argument(1, as: Int32.self))
        let values = unsafe try call.argument(2, as: UnsafePointer<OpaquePointer?>?.self)
        let arguments = (0..<count).compactMap { unsafe SQLValue.boxed(values?[$0]) }
        guard arguments.count == count else { return }
        unsafe try SQLValue.setResult(block.call(values: arguments), of: context)
      } catch {
        unsafe sqlite3_result_error(context, "\(error)", -1)
      }
    }
    let callback = unsafe try function.value(as: FunctionCallback.self)
    // SQLite gives the reference up itself if it fails.
    try check(
      unsafe sqlite3_create_function_v2(
        connection, name, parameterCount, SQLITE_UTF8, Unmanaged.passRetained(function).toOpaque(),
        callback, nil, nil, Self.release))
  }

  /// Orders texts by a closure: `ORDER BY title COLLATE name`.
  func collate(
    _ name: String, by compare: @escaping @Sendable (String, String) -> Int32
  ) throws {
    let function = try FunctionPointer(signature: "i^vi^vi^v") { call in
      func text(_ index: Int) throws -> String {
        let count = Int(try call.argument(index, as: Int32.self))
        let bytes = unsafe UnsafeRawBufferPointer(start: try call.argument(index + 1), count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
      }
      try call.setResult(compare(text(1), text(3)))
    }
    let callback = unsafe try function.value(as: CollationCallback.self)
    let reference = unsafe Unmanaged.passRetained(function)
    let code = unsafe sqlite3_create_collation_v2(
      connection, name, SQLITE_UTF8, reference.toOpaque(), callback, Self.release)
    // Here SQLite does not: https://www.sqlite.org/c3ref/create_collation.html
    if code != SQLITE_OK { unsafe reference.release() }
    try check(code)
  }

  /// Tells a closure of every row that is inserted, updated or deleted.
  func onUpdate(
    _ body: @escaping @Sendable (_ change: String, _ table: String, _ row: Int64) -> Void
  ) throws {
    let function = try FunctionPointer(signature: "v^vi**q") { call in
      let changes = [SQLITE_INSERT: "insert", SQLITE_UPDATE: "update", SQLITE_DELETE: "delete"]
      try body(changes[call.argument(1)] ?? "?", call.argument(3), call.argument(4))
    }
    unsafe sqlite3_update_hook(connection, try function.value(as: UpdateCallback.self), nil)
    updateHook = function
  }

  private typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private typealias RowCallback =
    @convention(c) (UnsafeMutableRawPointer?, Int32, Texts?, Texts?) -> Int32
  private typealias FunctionCallback =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  private typealias CollationCallback =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32
  private typealias UpdateCallback =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64
    ) -> Void

  /// SQLite's destroy callback: the pointer is a reference to a function pointer.
  private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { reference in
    guard let reference = unsafe reference else { return }
    unsafe Unmanaged<FunctionPointer>.fromOpaque(reference).release()
  }
}

/// Values of SQL's as values of C's.
private enum SQLValue {
  /// Nil for NULL.
  static func boxed(_ value: OpaquePointer?) -> CValue? {
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return unsafe .integer(Int128(sqlite3_value_int64(value)))
    case SQLITE_FLOAT: return unsafe .double(sqlite3_value_double(value))
    case SQLITE_NULL: return nil
    default:
      let text = unsafe sqlite3_value_text(value)
      let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
      return unsafe .cString(String(decoding: bytes, as: UTF8.self))
    }
  }

  static func setResult(_ value: CValue, of context: OpaquePointer) throws {
    switch value {
    case .void, .cString(nil): unsafe sqlite3_result_null(context)
    case .bool(let value): unsafe sqlite3_result_int(context, value ? 1 : 0)
    case .integer(let value): unsafe sqlite3_result_int64(context, Int64(clamping: value))
    case .float(let value): unsafe sqlite3_result_double(context, Double(value))
    case .double(let value): unsafe sqlite3_result_double(context, value)
    case .cString(let text?):
      // SQLITE_TRANSIENT: SQLite copies the text.
      let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      unsafe sqlite3_result_text(context, text, -1, copied)
    default: throw Database.Failure(message: "SQL has no value for \(value)")
    }
  }
}
