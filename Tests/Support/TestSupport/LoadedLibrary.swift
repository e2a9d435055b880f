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

  /// Loads a library whose only code is that of a block, and unloads it; other code may come to its
  /// address then.
  ///
  /// - Parameters:
  ///   - test: The test, after which the file is removed.
  ///   - prefix: What the library's name begins with, which is unique in the process with the
  ///     function's.
  ///   - function: The name of the function that makes the block, which adds one to an `int`.
  ///   - body: Gets the block, which it must not retain.
  /// - Returns: The address of the block's code.
  /// - Throws: `CompilerError`, and what `body` throws.
  public static func withBlock(
    _ test: XCTestCase, _ prefix: String, of function: String,
    _ body: (UnsafeRawPointer) throws -> Void
  ) throws -> UInt {
    let library = try LoadedLibrary(
      test, "\(prefix)_\(function)",
      source: """
        extern void *_Block_copy(const void *);
        extern void _Block_release(const void *);
        void *\(function)(int n) { return _Block_copy(^int(int x) { return x + n; }); }
        void release(void *block) { _Block_release(block); }
        """)
    typealias Make = @convention(c) (Int32) -> UnsafeRawPointer
    typealias Release = @convention(c) (UnsafeRawPointer) -> Void
    // SAFETY: the functions have these types, and a block's code is its third word.
    let make = unsafe try unsafeBitCast(library.address(of: function), to: Make.self)
    let release = unsafe try unsafeBitCast(library.address(of: "release"), to: Release.self)
    let block = unsafe make(1)
    let code = unsafe block.load(fromByteOffset: 16, as: UInt.self)
    try unsafe body(block)
    unsafe release(block)
    library.close()
    XCTAssertFalse(library.isLoaded)
    return code
  }
}
