import CBlockRuntimeThreads.AddressTable
import Synchronization
import TestSupport
import XCTest

/// The table from addresses to words that threads share without a lock.
final class AddressTableTests: XCTestCase {
  /// A table that is freed with this.
  @safe
  private final class Table: @unchecked Sendable {
    // SAFETY: the functions use atomic operations.
    let table: UnsafeMutablePointer<cbr_address_table>

    init(bits: UInt32) throws {
      unsafe table = unsafe try XCTUnwrap(cbr_address_table_create(bits))
    }

    deinit { unsafe cbr_address_table_free(table) }

    func word(_ address: UInt) -> UInt64 { unsafe cbr_address_word(table, address) }

    func claim(_ address: UInt, _ word: UInt64) -> UInt64 {
      unsafe cbr_address_claim(table, address, word)
    }

    func store(_ address: UInt, _ word: UInt64) -> Bool {
      unsafe cbr_address_store(table, address, word)
    }

    func clear() { unsafe cbr_address_clear(table) }
  }

  func testTheFirstClaimCounts() throws {
    let table = try Table(bits: 4)
    XCTAssertEqual(table.word(0x10), 0)
    XCTAssertEqual(table.claim(0x10, 7), 7)
    XCTAssertEqual(table.claim(0x10, 8), 7)
    XCTAssertEqual(table.word(0x10), 7)
    XCTAssertTrue(table.store(0x10, 9))
    XCTAssertEqual(table.word(0x10), 9)
    XCTAssertTrue(table.store(0x10, 0))
    XCTAssertEqual(table.claim(0x10, 8), 8)
    table.clear()
    XCTAssertEqual(table.word(0x10), 0)
    XCTAssertEqual(table.claim(0x10, 5), 5)
  }

  func testAFullTableKeepsWhatItHas() throws {
    let table = try Table(bits: 4)
    let kept = (1...100).filter { table.claim(UInt($0) << 32, UInt64($0)) != 0 }
    // Three quarters of sixteen, so that look-ups end.
    XCTAssertEqual(kept.count, 12)
    XCTAssertEqual(kept, Array(1...12))
    XCTAssertFalse(table.store(99 << 32, 1))
    XCTAssertEqual(table.word(99 << 32), 0)
    for address in kept { XCTAssertEqual(table.word(UInt(address) << 32), UInt64(address)) }
    // An address is never forgotten, so clearing makes no room.
    table.clear()
    XCTAssertEqual(table.claim(99 << 32, 1), 0)
    XCTAssertTrue(table.store(5 << 32, 6))
  }

  func testManyThreadsAgreeOnEachWord() throws {
    let table = try Table(bits: 12)
    let group = ThreadGroup()
    let (threads, count) = (8, 1000)
    let results = Mutex<[[UInt64]]>([])
    for thread in 1...threads {
      group.start {
        var found: [UInt64] = []
        for number in 0..<count {
          // Each begins elsewhere.
          let address = UInt((number + thread * 100) % count + 1) << 4
          found.append(table.claim(address, UInt64(thread) << 32 | UInt64(address)))
        }
        let rotated =
          found[(count - thread * 100 % count)...] + found[..<(count - thread * 100 % count)]
        results.withLock { $0.append(Array(rotated)) }
      }
    }
    group.wait()
    let all = results.withLock { $0 }
    XCTAssertEqual(Set(all).count, 1, "all threads got the same words")
    for (index, word) in (all.first ?? []).enumerated() {
      let address = UInt(index + 1) << 4
      XCTAssertEqual(UInt(word & 0xFFFF_FFFF), address)
      XCTAssertEqual(table.word(address), word)
    }
  }

  func testThreadsThatFillATableNeverLoseAnAddress() throws {
    for _ in 0..<20 {
      let table = try Table(bits: 6)
      let group = ThreadGroup()
      let kept = Mutex<[UInt: UInt64]>([:])
      for thread in 0..<6 as Range<UInt> {
        group.start {
          for number in 1...20 as ClosedRange<UInt> {
            let address = (number << 4 | thread) << 8
            let word = table.claim(address, UInt64(address))
            if word != 0 { kept.withLock { $0[address] = word } }
            _ = table.word(address)
          }
        }
      }
      group.wait()
      let entries = kept.withLock { $0 }
      XCTAssertLessThanOrEqual(entries.count, 48)
      XCTAssertGreaterThanOrEqual(entries.count, 48 - 6)
      for (address, word) in entries { XCTAssertEqual(table.word(address), word) }
    }
  }
}
