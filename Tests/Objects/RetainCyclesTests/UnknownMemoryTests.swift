import RetainCycles
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// What nothing describes is said to be unknown, and is not read.
final class UnknownMemoryTests: XCTestCase {
  private func library(_ name: String, _ options: [String]) throws -> LoadedLibrary {
    let files = try CompiledFiles(self)
    let source = try files.write(
      "\(name).swift",
      Array(
        """
        public final class Page {
          var onLoad: (() -> Void)?
          var next: Page?
          init() {}
        }
        final class Other { let page: Page; init(_ page: Page) { self.page = page } }
        @_cdecl("cycle") public func cycle() -> UnsafeMutableRawPointer {
          let page = Page()
          page.next = page
          return Unmanaged.passRetained(page).toOpaque()
        }
        @_cdecl("closure") public func closure() -> UnsafeMutableRawPointer {
          let (page, other) = (Page(), Other(Page()))
          page.onLoad = { print(page, other) }
          return Unmanaged.passRetained(page).toOpaque()
        }
        """.utf8))
    let path = "\(files.directory)/lib\(name).so"
    try Compiler("swiftc").run(
      ["-emit-library", "-parse-as-library", "-o", path, source] + options)
    return try LoadedLibrary(path)
  }

  private func search(_ library: LoadedLibrary, _ function: String) throws -> RetainCycle.Search {
    typealias Make = @convention(c) () -> UnsafeMutableRawPointer
    let make = unsafe try unsafeBitCast(library.address(of: function), to: Make.self)
    let object = unsafe Unmanaged<AnyObject>.fromOpaque(make()).takeRetainedValue()
    return unsafe RetainCycle.find(from: object)
  }

  func testCodeWithoutReflectionMetadataIsUnknown() throws {
    for optimization in ["-Onone", "-O"] {
      let described = try library("Described\(optimization)", [optimization])
      XCTAssertEqual(try search(described, "cycle").description, "Page.next → Page")
      let closure = try search(described, "closure")
      XCTAssertEqual(
        closure.description, "Page.onLoad → closure #1 in closure captures Page → Page")
      let bare = try library("Bare\(optimization)", [optimization, "-disable-reflection-metadata"])
      for function in ["cycle", "closure"] {
        let search = try search(bare, function)
        XCTAssertEqual(search.cycles, [])
        XCTAssertEqual(search.unknown, ["Page"])
        XCTAssertTrue(search.description.contains("unknown: Page"), "\(search)")
      }
    }
  }

  @safe private final class Hidden: @unchecked Sendable {
    let guarded = Mutex<[Hidden]>([])
    var pointer: UnsafeMutablePointer<Hidden>?
    var numbers: UnsafeMutablePointer<Int>?
    var raw: UnsafeMutableRawPointer?
    var unmanaged: Unmanaged<Hidden>?
    let count = 3
  }

  func testMemoryBehindPointersAndLocksIsUnknown() {
    let hidden = Hidden()
    let search = unsafe RetainCycle.find(from: hidden)
    XCTAssertEqual(
      search.unknown, ["guarded", "pointer", "raw", "unmanaged"].map { "Hidden.\($0)" })
    XCTAssertEqual(search.cycles, [])
  }

  private final class Buffer: ManagedBuffer<Int, Hidden?> {}

  func testElementsBehindAnObjectAreUnknown() {
    let buffer = Buffer.create(minimumCapacity: 2) { _ in 0 }
    XCTAssertEqual(unsafe RetainCycle.find(from: buffer).unknown, ["Buffer.elements"])
  }

  private final class Holder { var object: AnyObject? }

  func testAddressesThatAreNoObjectsAreNotRead() throws {
    let holder = Holder()
    let page = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    let itself = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    defer {
      unsafe page.deallocate()
      unsafe itself.deallocate()
    }
    unsafe page.initializeMemory(as: UInt.self, repeating: 8, count: 8)
    // What looks like an object of a class with a superclass and a description.
    let address = UInt(bitPattern: itself)
    unsafe itself.initializeMemory(as: UInt.self, repeating: address, count: 8)
    let addresses: [UInt] = [
      8, 4095, 4096, 0x7FFF_FFFF_F000, UInt(bitPattern: page) + 4, UInt(bitPattern: page),
      address,
    ]
    for address in addresses {
      unsafe withUnsafeBytes(of: holder) { object in
        let place = unsafe object.load(as: UnsafeMutableRawPointer.self) + 16
        unsafe place.storeBytes(of: address, as: UInt.self)
        defer { unsafe place.storeBytes(of: 0, as: UInt.self) }
        let search = unsafe RetainCycle.find(from: holder)
        XCTAssertEqual(search.cycles, [], "\(address)")
        XCTAssertEqual(search.unknown.count, 1, "\(address)")
      }
    }
  }
}
