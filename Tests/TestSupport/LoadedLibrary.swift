private import Glibc
public import XCTest

/// A shared library that a test compiles, loads and gives up.
@safe
public final class LoadedLibrary: @unchecked Sendable {
  // SAFETY: the loader locks; the handle is closed once.

  /// Its path.
  public let path: String
  private let handle: UnsafeMutableRawPointer

  /// Compiles C, blocks included, and loads it.
  ///
  /// - Parameters:
  ///   - test: When it is over, the file goes.
  ///   - name: The file's name, of which there must be no other in the process.
  ///   - source: The text in C.
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
    // SAFETY: the library's constructors are the test's; the message is a C string of this thread.
    guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw CompilerError(description: unsafe String(cString: dlerror()))
    }
    unsafe self.handle = unsafe handle
  }

  /// The address of a symbol.
  ///
  /// - Parameter symbol: Its name.
  /// - Returns: The address, valid while the library is loaded.
  /// - Throws: If there is none.
  public func address(of symbol: String) throws -> UnsafeMutableRawPointer {
    // SAFETY: the library is open, or somebody keeps it.
    unsafe try XCTUnwrap(dlsym(handle, symbol), symbol)
  }

  /// Gives the library up: it is unloaded unless somebody keeps it.
  public func close() { unsafe dlclose(handle) }

  /// Whether it is loaded, by whomever.
  public var isLoaded: Bool { Self.isLoaded(path) }

  /// Whether a library is loaded, by whomever.
  ///
  /// - Parameter path: Its path.
  /// - Returns: False if nobody keeps it.
  public static func isLoaded(_ path: String) -> Bool {
    // SAFETY: nothing is loaded by that, and the reference is given back.
    guard let handle = unsafe dlopen(path, RTLD_LAZY | RTLD_NOLOAD) else { return false }
    unsafe dlclose(handle)
    return true
  }
}
