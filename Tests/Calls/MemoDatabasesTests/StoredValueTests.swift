#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import Invocations
import MemoDatabases
import TestSupport
import XCTest

/// What is stored, and found again by whoever opens the file next.
final class StoredValueTests: XCTestCase {
  /// Bits and text of a value, which tell apart what `==` does not.
  private func exact(_ value: CValue) -> String {
    switch value {
    case .float(let number): "float \(number.bitPattern)"
    case .double(let number): "double \(number.bitPattern)"
    case .longDouble(let number):
      "long double \(number.sign) \(number.exponentBitPattern) \(number.significandBitPattern)"
    case .complex(let real, let imaginary):
      "\(exact(.longDouble(real))) \(exact(.longDouble(imaginary)))"
    case .structure(let parts), .array(let parts): "\(parts.map(exact))"
    default: "\(value)"
    }
  }

  func testResultsOfEveryKindSurviveTheReopening() throws {
    let rows: [(String, CValue)] = [
      ("B", .bool(true)), ("c", .integer(-128)), ("C", .integer(255)), ("s", .integer(-32768)),
      ("S", .integer(65535)), ("i", .integer(Int128(Int32.min))), ("I", .integer(4_294_967_295)),
      ("q", .integer(Int128(Int64.min))), ("Q", .integer(Int128(UInt64.max))),
      ("t", .integer(.min)), ("T", .unsignedInteger(.max)), ("T", .integer(3)),
      ("f", .float(Float(bitPattern: 0x7FC1_2345))), ("f", .float(-0.0)),
      ("d", .double(Double(bitPattern: 0x7FF8_0000_0000_1234))), ("d", .double(-0.0)),
      ("d", .double(.infinity)), ("d", .double(0.1)), ("D", .longDouble(LongDouble(1) / 3)),
      ("jd", .complex(real: 1.5, imaginary: -0.0)), ("jD", .complex(real: 2, imaginary: .infinity)),
      ("*", .cString(nil)), ("*", .cString("")), ("*", .cString("Grün\n\u{1F332}")),
      ("*", .cString(String(repeating: "long ", count: 50_000))), ("*", .bytes([0xFF, 0xC0])),
      ("{P=dd}", .structure([.double(1), .double(.nan)])),
      (
        "{R={P=ii}[2s]*B}",
        .structure([
          .structure([.integer(1), .integer(-2)]), .array([.integer(3), .integer(4)]),
          .cString("text"), .bool(false),
        ])
      ),
      ("![16,16f]", .array([.float(1), .float(-0.0), .float(.infinity), .float(4)])),
      ("{B=b0i3b3i5}", .structure([.integer(3), .integer(-4)])),
      ("(U=id)", .bytes([1, 2, 3, 4, 5, 6, 7, 8])),
    ]
    let files = try DatabaseFiles(self)
    for round in 0..<2 {
      for (index, (type, value)) in rows.enumerated() {
        let block = try CountedBlock("\(type)@?i", returning: value)
        try files.with(block, named: "row \(index)") { database, memo in
          for _ in 0..<2 {
            let found = try block.block.call(values: [.integer(1)])
            XCTAssertEqual(exact(found), exact(value), "\(type) in round \(round)")
          }
          XCTAssertEqual([block.count, memo.hits], [1 - round, 1 + round], "\(type) \(value)")
          XCTAssertEqual(database.statistics.hits, round)
        }
      }
    }
    XCTAssertEqual(files.reports.entries, [])
  }

  func testTextIsReturnedAsTheBlockReturnsIt() throws {
    typealias Lower = @convention(block) (String) -> String
    let files = try DatabaseFiles(self)
    let calls = Recorder<String>()
    for _ in 0..<2 {
      let lower: Lower = {
        calls.record($0)
        return $0.lowercased()
      }
      let database = try files.open()
      let installed = try Block(lower).install(
        .memoizing(in: database, named: "lower", coding: .text))
      for _ in 0..<2 { XCTAssertEqual([lower("ABC"), lower("É"), lower("")], ["abc", "é", ""]) }
      database.flush()
      installed.hook.remove()
    }
    XCTAssertEqual(calls.entries, ["ABC", "É", ""])
  }

  private struct Page: Codable, Equatable {
    var title: String
    var size: Double
  }

  private final class Picture: Codable {
    let name: String
    init(_ name: String) { self.name = name }
  }

  func testObjectsAreStoredAsTheirCodingSays() throws {
    let files = try DatabaseFiles(self)
    let calls = Recorder<Int>()
    for _ in 0..<2 {
      let database = try files.open()
      let pages = try CountedBlock("@@?q") { call in
        let number: Int = try call.argument(1)
        calls.record(number)
        let page = Page(title: "Nº \(number)", size: Double(number) / 3)
        try call.setResultValue(.object(page as AnyObject))
      }
      try pages.block.install(.memoizing(in: database, named: "pages", coding: .codable(Page.self)))
      let page = try pages.block.call(7, returning: AnyObject.self)
      XCTAssertEqual(page as? Page, Page(title: "Nº 7", size: 7.0 / 3))
      let pictures = try CountedBlock("@@?i") { call in
        calls.record(0)
        try call.setResult(Picture("sea"))
      }
      let installed = try pictures.block.install(
        .memoizing(
          in: database, named: "pictures", coding: .codable(Picture.self)))
      let picture = try pictures.block.call(1, returning: AnyObject.self)
      XCTAssertEqual((picture as? Picture)?.name, "sea")
      let nothing = try CountedBlock("@@?i") { call in
        calls.record(1)
        try call.setResultValue(.object(nil))
      }
      try nothing.block.install(.memoizing(in: database, named: "nothing", coding: .text))
      XCTAssertNil(try nothing.block.call(1) as AnyObject?)
      database.flush()
      installed.hook.remove()
    }
    XCTAssertEqual(calls.entries, [7, 0, 1])
  }

  func testAResultOfAnotherTypeIsReturnedAndNotStored() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock("@@?i") { try $0.setResult(Picture("sea")) }
    for _ in 0..<2 {
      try files.with(block, coding: .codable(Page.self)) { database, _ in
        _ = try block.block.call(1, returning: AnyObject.self)
        database.flush()
        XCTAssertEqual([database.statistics.skipped, database.statistics.count], [1, 0])
      }
    }
    XCTAssertEqual(block.count, 2)
  }

  func testACodingThatThrowsFailsNoCall() throws {
    struct Broken: Error {}
    let files = try DatabaseFiles(self)
    let block = try CountedBlock("@@?i") { try $0.setResult(NSString("text")) }
    let undecodable = ResultCoding(
      name: "one", encode: { _ in [1] }, decode: { _ in throw Broken() })
    let uncodable = ResultCoding(
      name: "two", encode: { _ in throw Broken() }, decode: { _ in NSString() })
    for coding in [undecodable, undecodable, uncodable] {
      try files.with(block, coding: coding) { _, _ in
        XCTAssertEqual(try block.block.call(1, returning: NSString.self), "text")
      }
    }
    XCTAssertEqual(block.count, 3)
    XCTAssertTrue(expectToEnd { while files.reports.entries.count < 2 { sched_yield() } })
    XCTAssertEqual(files.reports.entries.map(\.code), [.databaseFailed, .databaseFailed])
  }

  func testArgumentsOfEveryKindAreToldApart() throws {
    let files = try DatabaseFiles(self)
    let text = "{P=di}*@"
    let block = try CountedBlock("i@?\(text)") { try $0.setResult(Int32(1)) }
    let point = CValue.structure([.double(0), .integer(1)])
    let rows: [[CValue]] = [
      [point, .cString("a"), .object(nil)], [point, .cString(nil), .object(nil)],
      [point, .cString(""), .object(nil)], [point, .bytes([0xFF]), .object(nil)],
      [.structure([.double(-0.0), .integer(1)]), .cString("a"), .object(nil)],
      [point, .cString("a"), .object(NSString("a"))], [point, .cString("a"), .object(NSString())],
      [point, .cString("a"), .object(NSNumber(value: 1))],
      [point, .cString("a"), .object(NSNumber(value: 1.5))],
      [point, .cString("a"), .object(NSNumber(value: true))],
    ]
    for round in 0..<2 {
      try files.with(block) { database, memo in
        for row in rows { _ = try block.block.call(values: row) }
        database.flush()
        XCTAssertEqual(database.statistics.hits, round * rows.count)
        XCTAssertEqual(database.statistics.count, rows.count)
        // Each is decoded as what it was.
        let stored = Recorder<String>()
        XCTAssertEqual(
          memo.removeAll { call in
            stored.record("\(call.arguments.count)")
            return false
          }, 0)
        XCTAssertEqual(stored.entries.count, rows.count)
      }
    }
    XCTAssertEqual(block.count, rows.count)
  }

  func testACallWithAnotherObjectIsMemoizedInMemoryOnly() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock("i@?@") { try $0.setResult(Int32(1)) }
    let object = Picture("sea")
    for _ in 0..<2 {
      try files.with(block) { database, memo in
        for _ in 0..<3 { _ = try block.block.call(object) as Int32 }
        XCTAssertEqual([memo.hits, memo.misses, database.statistics.misses], [2, 1, 0])
      }
    }
    XCTAssertEqual(block.count, 2)
  }
}
#endif
