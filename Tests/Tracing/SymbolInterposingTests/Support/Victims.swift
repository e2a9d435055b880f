import Glibc
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// A library that defines `NAME_twice`, and others that import it.
@safe
struct Victims {
  let files: CompiledFiles

  /// Names are the test's own: libraries of other tests stay loaded.
  let name: String

  init(_ test: XCTestCase, _ name: String) throws {
    self.name = name
    files = try CompiledFiles(test)
    _ = try files.compile(
      "lib\(name).so", ["-shared", "-fPIC"],
      source: """
        int \(name)_calls;
        int \(name)_twice(int x) { \(name)_calls++; return 2 * x; }
        """)
  }

  var twice: String { "\(name)_twice" }

  /// Compiles and loads a library whose `NAME_CLIENT` calls the function.
  func client(
    _ client: String = "client", _ options: [String] = [], takesAddress: Bool = true
  ) throws -> Client {
    let path = try compileClient(client, options, takesAddress: takesAddress)
    return try Client(path, "\(name)_\(client)")
  }

  /// Compiles such a library.
  ///
  /// Where it takes the function's address too, GNU's linker has it call by that slot.
  func compileClient(
    _ client: String, _ options: [String] = [], takesAddress: Bool = true
  ) throws -> String {
    let byAddress = """
      int \(name)_\(client)_by_address(int x) {
        int (*volatile address)(int) = \(twice);
        // Not a tail call, which would seem to come from the caller.
        int result = address(x);
        __asm__ volatile("");
        return result;
      }
      """
    return try files.compile(
      "lib\(name)_\(client).so",
      ["-shared", "-fPIC", "-O1", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"] + options,
      source: """
        extern int \(twice)(int x);
        int \(name)_\(client)(int x) { return \(twice)(x) + 1; }
        int \(name)_\(client)_instead(int x) { return 1000 * x; }
        \(takesAddress ? byAddress : "")
        """, libraries: ["-l\(name)"])
  }
}

/// A loaded library with a function of one integer, which calls on.
@safe
struct Client: @unchecked Sendable {
  // SAFETY: the functions may be called on any thread.

  let path: String
  private let function: @convention(c) (Int32) -> Int32
  private let byAddress: (@convention(c) (Int32) -> Int32)?

  /// The address of a function of its own that may take the imported one's place; zero if it has
  /// none.
  let instead: UInt
  private let handle: UnsafeMutableRawPointer

  init(_ path: String, _ name: String) throws {
    self.path = path
    guard let handle = unsafe dlopen(path, RTLD_LAZY | RTLD_LOCAL) else {
      throw CompilerError(description: unsafe String(cString: dlerror()))
    }
    unsafe self.handle = unsafe handle
    function = unsafe try unsafeBitCast(
      XCTUnwrap(dlsym(handle, name)), to: (@convention(c) (Int32) -> Int32).self)
    byAddress = unsafe dlsym(handle, "\(name)_by_address").map {
      unsafe unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
    }
    instead = unsafe UInt(bitPattern: dlsym(handle, "\(name)_instead"))
  }

  func callAsFunction(_ x: Int32) -> Int32 { function(x) }

  /// Has the library call the function by the address that it takes.
  func callByAddress(_ x: Int32) throws -> Int32 { try XCTUnwrap(byAddress)(x) }

  func unload() { unsafe dlclose(handle) }
}
