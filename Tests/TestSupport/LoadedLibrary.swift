private import Glibc
public import XCTest

/// A shared library that a test compiles, loads and closes.
@safe
public final class LoadedLibrary: @unchecked Sendable {
  // SAFETY: immutable; the loader has a lock of its own, and a test closes the handle once.

  /// The library's path.
  public let path: String
  private let handle: UnsafeMutableRawPointer

  /// Compiles and loads a library in C with blocks.
  ///
  /// - Parameters:
  ///   - test: The test, after which the file is removed.
  ///   - name: The library's name, which must be unique in the process.
  ///   - source: The C source.
  /// - Throws: `CompilerError`.
  public convenience init(_ test: XCTestCase, _ name: String, source: String) throws {
    try self.init(
      CompiledFiles(test).compile(
        "lib\(name).so", ["-shared", "-fPIC", "-fblocks", "-O1"], source: source))
  }

  /// Loads a library.
  ///
  /// - Parameter path: Its path.
  /// - Throws: `CompilerError`.
  public init(_ path: String) throws {
    self.path = path
    // SAFETY: the test vouches for the library's constructors; the message is a C string of this
    // thread.
    guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw CompilerError(description: unsafe String(cString: dlerror()))
    }
    unsafe self.handle = unsafe handle
  }

  /// The address of a symbol.
  ///
  /// - Parameter symbol: Its name.
  /// - Returns: The address, valid while the library is loaded.
  /// - Throws: An error if there is no such symbol.
  public func address(of symbol: String) throws -> UnsafeMutableRawPointer {
    // SAFETY: the handle is open, or other code keeps the library loaded.
    unsafe try XCTUnwrap(dlsym(handle, symbol), symbol)
  }

  // SAFETY: a test calls this once.
  /// Closes the library, which unloads it unless other code keeps it loaded.
  public func close() { unsafe dlclose(handle) }

  /// Whether the library is loaded.
  public var isLoaded: Bool { Self.isLoaded(path) }

  /// Whether a library is loaded.
  ///
  /// - Parameter path: The library's path.
  /// - Returns: False if nothing keeps it loaded.
  public static func isLoaded(_ path: String) -> Bool {
    // SAFETY: `RTLD_NOLOAD` loads nothing, and the handle is closed.
    guard let handle = unsafe dlopen(path, RTLD_LAZY | RTLD_NOLOAD) else { return false }
    unsafe dlclose(handle)
    return true
  }
}
