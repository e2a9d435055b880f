import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Functions of libraries that are given up while they are hooked, or take another's place.
final class UnloadedFunctionTests: XCTestCase {
  private typealias Function = @convention(c) (Int32) -> Int32

  private func giveUp(_ library: LoadedLibrary, line: UInt = #line) throws {
    library.close()
    XCTAssertTrue(library.isLoaded, "unloaded with its function in use", line: line)
    if !library.isLoaded { throw XCTSkip("what follows would crash") }
  }

  func testALibraryStaysLoadedWhileItsFunctionIsHooked() throws {
    let victims = try Victims(self, "defines")
    let library = "\(victims.files.directory)/libdefines.so"
    let client = try victims.client("client", ["-Wl,-z,now"])
    let function = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hooks = [try function.hook { _ in }, try function.hook(.after) { _ in }]
    XCTAssertTrue(hooks[0].suspend())
    client.unload()
    XCTAssertFalse(LoadedLibrary.isLoaded(client.path))
    for hook in hooks {
      XCTAssertTrue(LoadedLibrary.isLoaded(library))
      hook.remove()
    }
    XCTAssertFalse(LoadedLibrary.isLoaded(library))
  }

  func testALibraryStaysLoadedWhileItsFunctionTakesAnothersPlace() throws {
    let victims = try Victims(self, "placed")
    let client = try victims.client()
    let library = try LoadedLibrary(
      self, "takes_place", source: "int instead(int x) { return 1000 * x; }")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let function = unsafe try unsafeBitCast(library.address(of: "instead"), to: Function.self)
    let hook = try twice.replace(with: function)
    try giveUp(library)
    XCTAssertEqual(client(2), 2001)
    hook.remove()
    XCTAssertFalse(library.isLoaded)
    XCTAssertEqual(client(2), 5)
  }

  func testTwoNamesOfOneFunctionAreHookedEachInItsOwnSlots() throws {
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "libnames.so", ["-shared", "-fPIC"],
      source: """
        int first_name(int x) { return 2 * x; }
        int other_name(int x) __attribute__((alias("first_name")));
        """)
    func client(_ name: String) throws -> Client {
      let path = try files.compile(
        "libnames_\(name).so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
        source: "int \(name)(int x); int names_\(name)(int x) { return \(name)(x) + 1; }",
        libraries: ["-lnames"])
      return try Client(path, "names_\(name)")
    }
    let names = ["first_name", "other_name"]
    let clients = try names.map(client)
    for (name, results) in zip(names, [[103, 3], [103, 203]] as [[Int32]]) {
      let function = unsafe try ImportedFunction(name, signature: "ii")
      let added: Int32 = name == "first_name" ? 100 : 200
      try function.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + added)
      }
      XCTAssertEqual(clients.map { $0(1) }, results)
      addTeardownBlock { function.removeHooks() }
    }
  }
}
