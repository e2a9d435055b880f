import ObjectLifetimes
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so its function is known.

/// Classes of libraries that are given up.
final class UnloadedClassTests: XCTestCase {
  func testALibraryStaysLoadedOnceAnObjectOfItsWasWatched() throws {
    let files = try CompiledFiles(self)
    let source = try files.write(
      "Plugin.swift",
      Array(
        """
        public final class Plugin { public init() {} }
        @_cdecl("plugin") public func plugin() -> UnsafeMutableRawPointer {
          Unmanaged.passRetained(Plugin()).toOpaque()
        }
        """.utf8))
    let path = "\(files.directory)/libPlugin.so"
    try Compiler("swiftc").run(["-emit-library", "-parse-as-library", "-o", path, source])
    let library = try LoadedLibrary(path)
    typealias Make = @convention(c) () -> UnsafeMutableRawPointer
    let make = unsafe try unsafeBitCast(library.address(of: "plugin"), to: Make.self)
    let ends = Recorder<String>()
    var object: AnyObject? = unsafe Unmanaged<AnyObject>.fromOpaque(make()).takeRetainedValue()
    try onDeinit(of: XCTUnwrap(object)) { ends.record("deinit") }
    object = nil
    XCTAssertEqual(ends.entries, ["deinit"])
    // Its class's place is known for ever: another class must not come there.
    library.close()
    XCTAssertTrue(library.isLoaded)
  }
}
