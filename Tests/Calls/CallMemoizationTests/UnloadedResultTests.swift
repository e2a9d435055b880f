import BlockABI
import BlockHooks
import CallMemoization
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so what its symbols are is known.

/// Results that lie in a library that is given up.
final class UnloadedResultTests: XCTestCase {
  func testALibraryStaysLoadedWhileItsBlockIsAKeptResult() throws {
    let library = try LoadedLibrary(
      self, "result",
      source: """
        static int (^const made)(int) = ^(int x) { return x + 1000; };
        int (^(^const maker)(int))(int) = ^(int x) { return made; };
        """)
    let maker = unsafe try Block(
      unsafePointer: library.address(of: "maker").load(as: UnsafeRawPointer.self))
    let installed = try maker.install(.memoizing())
    let memo = installed.handle
    let made = try maker.call(1) as Block
    library.close()
    try XCTSkipUnless(expectLoaded(library), "what follows would crash")
    XCTAssertEqual(try made.call(1) as Int32, 1001)
    let again = try maker.call(1) as Block
    XCTAssertEqual(memo.hits, 1)
    installed.hook.remove()
    // The results stay with the handle.
    XCTAssertTrue(library.isLoaded)
    XCTAssertEqual(try again.call(1) as Int32, 1001)
    memo.removeAll()
    XCTAssertFalse(library.isLoaded)
  }

  private func expectLoaded(_ library: LoadedLibrary) -> Bool {
    XCTAssertTrue(library.isLoaded, "unloaded with its block in use")
    return library.isLoaded
  }
}
