import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
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

  func testFunctionsAreFoundWhileLibrariesThatNeedTheirCallersComeAndGo() throws {
    let victims = try Victims(self, "sought")
    let client = try victims.client("client", ["-Wl,-z,lazy"], takesAddress: false)
    // The scope of the client grows and shrinks with them.
    let paths = try (1...8).map { number in
      try victims.files.compile(
        "libsought_\(number).so",
        [
          "-shared", "-fPIC", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN",
          "-L\(victims.files.directory)",
        ], source: "", libraries: ["-lsought_client"])
    }
    let isDone = Atomic(false)
    let threads = ThreadGroup()
    threads.start {
      while !isDone.load(ordering: .relaxed) {
        let handles = paths.map { unsafe UInt(bitPattern: dlopen($0, RTLD_LAZY)) }
        for handle in handles {
          if let handle = unsafe UnsafeMutableRawPointer(bitPattern: handle) {
            unsafe dlclose(handle)
          }
        }
      }
    }
    let slot = try XCTUnwrap(
      ImportSlot.all(of: victims.twice, in: .only(client.path)).first(where: \.isCall))
    XCTAssertFalse(slot.isBound)
    let definition = try XCTUnwrap(slot.definition)
    var others = 0
    for _ in 0..<shortened(5_000) where slot.definition != definition { others += 1 }
    XCTAssertEqual(others, 0)
    isDone.store(true, ordering: .relaxed)
    threads.wait()
  }

  func testAfterARemovalTheLoaderBindsWhatItHadNotBound() throws {
    let files = try CompiledFiles(self)
    let path = try files.compile(
      "libunbound_global.so", ["-shared", "-fPIC"],
      source: "int unbound_global(int x) { return 2 * x; }")
    let handle = unsafe try XCTUnwrap(dlopen(path, RTLD_NOW | RTLD_GLOBAL))
    // Only the loader knows that the one needs the other.
    let client = try Client(
      files.compile(
        "libunbound_client.so", ["-shared", "-fPIC", "-Wl,-z,lazy"],
        source: """
          extern int unbound_global(int x);
          int unbound_client(int x) { return unbound_global(x) + 1; }
          """), "unbound_client")
    let function = unsafe try ImportedFunction("unbound_global", signature: "ii")
    let hooks = try [1000, 100].map { (more: Int32) in
      try function.hook(.after) { call in try call.setResult(call.result(as: Int32.self) + more) }
    }
    XCTAssertEqual(client(1), 1103)
    for hook in hooks { hook.remove() }
    XCTAssertEqual(function.slots.map(\.isBound), [false])
    XCTAssertEqual(client(1), 3)
    unsafe dlclose(handle)
    XCTAssertTrue(LoadedLibrary.isLoaded(path))
    guard LoadedLibrary.isLoaded(path) else { return }
    XCTAssertEqual(client(1), 3)

    // What the loader has bound stays bound.
    let hook = try function.hook(.after) { call in try call.setResult(Int32(7)) }
    XCTAssertEqual(client(1), 8)
    hook.remove()
    XCTAssertEqual(function.slots.map(\.isBound), [true])
    XCTAssertEqual(client(1), 3)
    client.unload()
    XCTAssertFalse(LoadedLibrary.isLoaded(path))
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
