import BlockABI
import Glibc
import TestSupport
import XCTest

final class ProtectedMemoryTests: XCTestCase {
  private let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// The protection of each page, as the kernel shows it.
  private func protections(of pages: UnsafeMutableRawPointer, count: Int) throws -> [String] {
    let maps = String(
      decoding: try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/self/maps"))
        .readDataToEndOfFile(),
      as: UTF8.self)
    let start = UInt(bitPattern: pages)
    return try (0..<count).map { index in
      let address = start + UInt(index * pageSize)
      let fields = maps.split(separator: "\n").lazy.map { $0.split(separator: " ") }.first {
        let bounds = $0[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return bounds[0] <= address && address < bounds[1]
      }
      return String(try XCTUnwrap(fields, "the page is not in the map")[1])
    }
  }

  private func withPages(
    _ count: Int, _ body: (UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let size = count * pageSize
    let pages = unsafe mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
    let start = unsafe try XCTUnwrap(pages)
    defer { unsafe munmap(start, size) }
    unsafe try body(start)
  }

  func testAWriteAcrossAPageBorderRestoresBothProtections() throws {
    unsafe try withPages(2) { pages in
      unsafe mprotect(pages, pageSize, PROT_READ)
      unsafe mprotect(pages + pageSize, pageSize, PROT_READ | PROT_EXEC)
      let before = unsafe try protections(of: pages, count: 2)
      XCTAssertEqual(before, ["r--p", "r-xp"])
      let place = unsafe pages + pageSize - 4
      unsafe try ProtectedMemory.write(at: place, count: 8) {
        unsafe place.storeBytes(of: 0x0102_0304_0506_0708, as: UInt64.self)
      }
      XCTAssertEqual(unsafe place.loadUnaligned(as: UInt64.self), 0x0102_0304_0506_0708)
      XCTAssertEqual(unsafe try protections(of: pages, count: 2), before)
    }
  }

  func testAWritablePageStaysWritable() throws {
    unsafe try withPages(1) { pages in
      unsafe try ProtectedMemory.write(at: pages, count: 8) {
        unsafe pages.storeBytes(of: 7, as: UInt64.self)
      }
      XCTAssertEqual(unsafe try protections(of: pages, count: 1), ["rw-p"])
    }
  }

  func testUnmappedMemoryIsRefusedAndNothingIsWritten() throws {
    unsafe try withPages(2) { pages in
      unsafe mprotect(pages, pageSize, PROT_READ)
      unsafe munmap(pages + pageSize, pageSize)
      var isWritten = false
      expectError(.protectedMemory) {
        _ = unsafe try ProtectedMemory.write(at: pages + pageSize - 4, count: 8) {
          isWritten = true
        }
      }
      XCTAssertFalse(isWritten)
      XCTAssertEqual(unsafe try protections(of: pages, count: 1), ["r--p"])
    }
  }
}
