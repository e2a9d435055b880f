import Invocations
import MessageForwarding
import TestSupport
import XCTest

final class NilReceiverTests: XCTestCase {
  private let nobody: Page? = nil

  func testNilAnswersZeroWhereTheSenderSaysSo() throws {
    XCTAssertEqual(try nobody.sendOrZero("count"), 0)
    XCTAssertEqual(try nobody.sendOrZero("count"), UInt8(0))
    XCTAssertEqual(try nobody.sendOrZero("ratio:", 2), 0.0)
    XCTAssertEqual(try nobody.sendOrZero("isOpen"), false)
    XCTAssertEqual(try nobody.sendOrZero("name"), "")
    XCTAssertEqual(try nobody.sendOrZero("lines"), [String]())
    XCTAssertEqual(try nobody.sendOrZero("marks"), Set<Int>())
    XCTAssertEqual(try nobody.sendOrZero("notes"), [String: Page.Note]())
    XCTAssertEqual(try nobody.sendOrZero("time"), Duration.zero)
    XCTAssertNil(try nobody.sendOrZero("next", returning: Page?.self))
    XCTAssertNil(try nobody.sendOrZero("place", returning: Page.Place?.self))
    try nobody.sendOrZero("didLoad:", 3)
    try nobody.sendOrZero("didLoad:", 3, returning: Void.self)
  }

  func testNilAnswersRecordsOfZeros() throws {
    let place = try nobody.sendOrZero("place", returning: Page.Place.self)
    XCTAssertEqual([Double(place.page), place.height], [0, 0])
    XCTAssertNil(place.note)
    let pair = try nobody.sendOrZero("pair", returning: (Int32, Bool).self)
    XCTAssertEqual(pair.0, 0)
    XCTAssertEqual(pair.1, false)
  }

  func testNilAnswersNoTypeWithoutAZero() {
    func refuses<Value>(_ type: Value.Type, line: UInt = #line) {
      XCTAssertThrowsError(try nobody.sendOrZero("any", returning: type), line: line) { error in
        XCTAssertEqual((error as? MessageError)?.code, .deadReceiver, line: line)
        XCTAssertEqual("\(error)".contains("ask for an Optional, \(type)?"), true, line: line)
      }
    }
    refuses(Page.self)
    refuses(AnyObject.self)
    refuses(Page.Colour.self)
    refuses(Page.Note.self)
    refuses(Page.Holder.self)
    // SAFETY: a type only.
    unsafe refuses(UnsafeRawPointer.self)
    refuses(Selector.self)
    refuses((Int, AnyObject).self)
  }

  func testWhoIsNotNilAnswersItself() throws {
    let page: Page? = Page()
    XCTAssertEqual(try page.sendOrZero("add:to:", Int32(1), 2.5), 3.5)
    try page.sendOrZero("didLoad:", Int32(3))
    XCTAssertEqual(page?.loads, [3])
    XCTAssertThrowsError(try page.sendOrZero("nothing"))
  }

  func testAnOptionalSendToNilIsNil() throws {
    XCTAssertNil(try nobody?.send("name", returning: String.self))
  }
}

extension Page {
  struct Place {
    var page: Int32
    var height: Double
    var note: Note?
  }

  /// An object in a structure.
  struct Holder { var note: Note }
  final class Note: Equatable {
    static func == (first: Note, second: Note) -> Bool { first === second }
  }
  enum Colour { case red, green }
}
