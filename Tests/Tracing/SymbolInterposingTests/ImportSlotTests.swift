import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

/// Import slots of libraries linked in every way.
final class ImportSlotTests: XCTestCase {
  /// How a client is linked, and whether it calls by a slot of its own kind.
  ///
  /// By LLVM's linker: GNU's has a function that is called and whose address is taken share one
  /// slot, or not, by its version.
  private static let links: [(name: String, options: [String], isCall: Bool, isBound: Bool)] = [
    ("lazy", ["-Wl,-z,lazy"], true, false),
    ("now", ["-Wl,-z,now"], true, true),
    ("relro", ["-Wl,-z,now", "-Wl,-z,relro"], true, true),
    ("norelro", ["-Wl,-z,lazy", "-Wl,-z,norelro"], true, false),
    ("noplt", ["-fno-plt", "-Wl,-z,now"], false, true),
  ]

  private static let linker = "-fuse-ld=lld"

  func testClientsLinkedInEveryWayAreHookedAndRestored() throws {
    let victims = try Victims(self, "slots")
    for link in Self.links {
      let client = try victims.client(link.name, link.options + [Self.linker])
      let images = ImageFilter.only(client.path)
      let twice = unsafe try ImportedFunction(victims.twice, signature: "ii", in: images)
      let before = twice.slots
      XCTAssertFalse(before.isEmpty, link.name)
      if link.isCall {
        XCTAssertEqual(before.first(where: \.isCall)?.isBound, link.isBound, link.name)
      } else {
        XCTAssertFalse(before.contains(where: \.isCall), link.name)
      }

      let hook = try twice.hook { call in
        try call.setArgument(0, call.argument(0, as: Int32.self) + 100)
        try call.proceed()
      }
      XCTAssertTrue(twice.slots.allSatisfy(\.isHooked), "\(link.name): \(twice.slots)")
      XCTAssertEqual(client(1), 203, link.name)
      // Twice: under lazy binding the loader might have overwritten the slot.
      XCTAssertEqual(client(2), 205, link.name)
      XCTAssertEqual(try client.callByAddress(1), 202, link.name)

      XCTAssertTrue(hook.remove(), link.name)
      XCTAssertFalse(hook.remove(), link.name)
      let after = twice.slots
      XCTAssertEqual(after.map(\.address), before.map(\.address), link.name)
      XCTAssertTrue(after.allSatisfy { !$0.isHooked }, "\(link.name): \(after)")
      XCTAssertEqual(after.map(\.value), before.map(\.value), link.name)
      XCTAssertEqual(client(1), 3, link.name)
      let called = twice.slots
      XCTAssertTrue(called.allSatisfy { !$0.isHooked && $0.isBound }, "\(link.name): \(called)")
      XCTAssertEqual(called.first?.target?.name, victims.twice, link.name)
    }
  }

  func testASlotThatWasNotBoundIsHookedBeforeItsFirstCallAndAfterIt() throws {
    let victims = try Victims(self, "lazily")
    let client = try victims.client("client", ["-Wl,-z,lazy"])
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii", in: .only(client.path))
    for round in 1...3 {
      let hook = try twice.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + 1000)
      }
      XCTAssertEqual(client(1), 1003, "round \(round)")
      hook.remove()
      XCTAssertEqual(client(1), 3, "round \(round)")
    }
  }

  func testSlotsOfAllSymbolsHoldThoseOfOne() throws {
    let victims = try Victims(self, "listed")
    let client = try victims.client("client", [Self.linker])
    let images = ImageFilter.only(client.path)
    let all = ImportSlot.all(in: images)
    let some = ImportSlot.all(of: victims.twice, in: images)
    XCTAssertEqual(some.count, 2, "a call and an address: \(some)")
    XCTAssertEqual(all.filter { $0.symbol == victims.twice }, some)
    XCTAssertTrue(all.allSatisfy { $0.image == client.path })
  }

  func testTheSlotsOfEachSymbolAreFoundInTheirOrderWhateverIsLoaded() throws {
    let victims = try Victims(self, "indexed")
    for name in ["first", "second"] {
      let client = try victims.client(name)
      let all = Dictionary(grouping: ImportSlot.all(), by: \.symbol)
      XCTAssertEqual(all[victims.twice]?.last?.image, client.path)
      let wrong = all.filter { symbol, slots in
        ImportSlot.all(of: symbol).map(\.address) != slots.map(\.address)
      }
      XCTAssertTrue(wrong.isEmpty, "\(wrong.keys)")
    }
    XCTAssertEqual(ImportSlot.all(of: "indexed_missing"), [])
  }

  func testTheProgramsOwnSlotsCarryItsPath() throws {
    // Of all symbols: a sanitizer's program defines malloc itself.
    let slots = ImportSlot.all()
    XCTAssertFalse(slots.isEmpty)
    XCTAssertTrue(slots.allSatisfy { $0.image.hasPrefix("/") }, "\(Set(slots.map(\.image)))")
    let program = try XCTUnwrap(slots.first?.image)
    // SAFETY: the path is a C string for the duration of the call.
    XCTAssertEqual(unsafe access(program, X_OK), 0)
  }

  func testVersionsOfASymbolAreToldApart() throws {
    let files = try CompiledFiles(self)
    let script = try files.write("versions", Array("V1 { }; V2 { };".utf8))
    let library = "libversioned.so"
    _ = try files.compile(
      library, ["-shared", "-fPIC", "-Wl,--version-script,\(script)", "-Wl,-soname,\(library)"],
      source: """
        int first(int x) { return x + 1; }
        int second(int x) { return x + 2; }
        __asm__(".symver first, versioned_value@V1");
        __asm__(".symver second, versioned_value@@V2");
        """)
    func client(_ number: Int) throws -> Client {
      let path = try files.compile(
        "libversioned\(number).so",
        ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
        source: """
          __asm__(".symver versioned_value, versioned_value@V\(number)");
          extern int versioned_value(int x);
          int versioned_client(int x) { return versioned_value(x); }
          """, libraries: ["-lversioned"])
      return try Client(path, "versioned_client")
    }
    let (first, second) = (try client(1), try client(2))
    XCTAssertEqual([first(0), second(0)], [1, 2])

    XCTAssertThrowsError(unsafe try ImportedFunction("versioned_value", signature: "ii")) { error in
      XCTAssertEqual((error as? InterposingError)?.code, .ambiguousSymbol, "\(error)")
      XCTAssertTrue("\(error)".contains("V1") && "\(error)".contains("V2"), "\(error)")
    }
    let function = unsafe try ImportedFunction("versioned_value", version: "V1", signature: "ii")
    let hook = try function.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) * 10)
    }
    XCTAssertEqual([first(0), second(0)], [10, 2])
    hook.remove()
    XCTAssertEqual([first(0), second(0)], [1, 2])
  }
}
