import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so what their symbols are is known.

/// Blocks of libraries that are given up while something of them is in use.
final class UnloadedImageTests: XCTestCase {
  private typealias Increment = @convention(block) (Int32) -> Int32

  /// A library with the global block `NAME`, and one that it returns.
  private func library(_ name: String) throws -> LoadedLibrary {
    try LoadedLibrary(
      self, name,
      source: """
        int (^const \(name))(int) = ^(int x) { return x + 1; };
        static int (^const other)(int) = ^(int x) { return x + 1000; };
        int (^(^const \(name)_maker)(int))(int) = ^(int x) { return other; };
        """)
  }

  private func block(_ library: LoadedLibrary, _ name: String) throws -> Block {
    unsafe try Block(
      unsafePointer: library.address(of: name).load(as: UnsafeRawPointer.self))
  }

  /// Gives a library up, and fails where it is gone then: what follows would crash.
  private func giveUp(_ library: LoadedLibrary, line: UInt = #line) throws {
    library.close()
    XCTAssertTrue(library.isLoaded, "unloaded with its block in use", line: line)
    if !library.isLoaded { throw XCTSkip("what follows would crash") }
  }

  func testALibraryStaysLoadedWhileItsBlockIsHooked() throws {
    let library = try library("hooked")
    let block = try block(library, "hooked")
    let first = try block.hook { call in try call.proceed() }
    let second = try block.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) + 100)
    }
    try giveUp(library)
    XCTAssertEqual(try block.call(1) as Int32, 102)
    XCTAssertTrue(first.remove())
    XCTAssertTrue(library.isLoaded)
    XCTAssertEqual(try block.call(1) as Int32, 102)
    XCTAssertTrue(second.remove())
    XCTAssertFalse(library.isLoaded)
    XCTAssertFalse(second.remove())
  }

  func testALibraryStaysLoadedWhileAHookOfItsBlockIsSuspended() throws {
    let library = try library("suspended")
    let block = try block(library, "suspended")
    let hook = try block.hook(.after) { call in try call.setResult(Int32(5)) }
    XCTAssertTrue(hook.suspend())
    try giveUp(library)
    XCTAssertTrue(try hook.resume())
    XCTAssertEqual(try block.call(1) as Int32, 5)
    XCTAssertTrue(hook.suspend())
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(library.isLoaded)
  }

  func testALibraryIsNotUnloadedUnderACallOfItsHookedBlock() throws {
    let library = try library("inside")
    let block = try block(library, "inside")
    try block.hook { call in
      library.close()
      guard library.isLoaded else { return }
      try call.argument(0, as: Block.self).removeHooks()
      try call.proceed()
    }
    XCTAssertEqual(try block.call(1) as Int32, 2)
    XCTAssertFalse(library.isLoaded)
  }

  func testADroppedTokenKeepsTheLibraryAndTheBlocksListOfHooksEndsIt() throws {
    let library = try library("listed")
    let block = try block(library, "listed")
    try block.hook(.before) { _ in }
    try giveUp(library)
    XCTAssertEqual(block.removeHooks(), 1)
    XCTAssertFalse(library.isLoaded)
  }

  func testALibraryThatIsLoadedAgainIsHookedAnew() throws {
    for round in 1...3 {
      let library = try library("again\(round)")
      let block = try block(library, "again\(round)")
      XCTAssertEqual(block.hooks.count, 0)
      let hook = try block.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) * 10)
      }
      XCTAssertEqual(try block.call(1) as Int32, 20)
      try giveUp(library)
      hook.remove()
      XCTAssertFalse(library.isLoaded)
    }
  }

  func testALibraryStaysLoadedWhileItsBlockReplacesAnother() throws {
    let library = try library("replacement")
    let double: Increment = { 2 * $0 }
    let block = try Block(double)
    let hook = try block.replace(with: self.block(library, "replacement"))
    try giveUp(library)
    XCTAssertEqual(double(10), 11)
    hook.remove()
    XCTAssertFalse(library.isLoaded)
    XCTAssertEqual(double(10), 20)
  }

  func testALibraryStaysLoadedWhileTheOriginalOfItsBlockIsKept() throws {
    let library = try library("original")
    let block = try block(library, "original")
    var kept: Block?
    let hook = try block.wrap { (original: @escaping Increment) -> Increment in
      kept = try? Block(original)
      return { original($0) * 10 }
    }
    XCTAssertEqual(try block.call(1) as Int32, 20)
    hook.remove()
    try giveUp(library)
    XCTAssertEqual(try XCTUnwrap(kept).call(1) as Int32, 2)
    kept = nil
    XCTAssertFalse(library.isLoaded)
  }
}
