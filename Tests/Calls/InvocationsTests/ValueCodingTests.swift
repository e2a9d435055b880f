import BlockABI
import Foundation
import Invocations
import TestSupport
import XCTest

/// Values described at run time pass through any coder unchanged, but for references.
final class ValueCodingTests: XCTestCase {
  private static var values: [CValue] {
    [
      .void, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(Int128(Int64.max)),
      .integer(Int128(Int64.max) + 1), .integer(.min), .unsignedInteger(.max), .float(0.1),
      .float(-.infinity), .double(0.1), .double(-0.0), .double(.greatestFiniteMagnitude),
      .double(.leastNonzeroMagnitude), .longDouble(0.1), .complex(real: 1.5, imaginary: -2.5),
      .cString("text"), .cString(""), .cString(nil), .bytes([]), .bytes([0, 255]), .pointer(0),
      .pointer(.max), .object(nil), .class(nil), .block(nil), .structure([]),
      .structure([1, 2.5, "three"]),
      .array([.structure([.array([])])]), .member(index: 1, value: .member(index: 0, value: 7)),
      .opaque(OpaqueValue(text: "unreadable")),
    ]
  }

  private func copied<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  func testWhatIsEncodedIsDecoded() throws {
    XCTAssertEqual(try copied(Self.values), Self.values)
    for value in Self.values { XCTAssertEqual(try copied(value), value, "\(value)") }
    XCTAssertEqual(try copied(CValue.double(-0.0)).description, "-0.0")
    guard case .float(let number) = try copied(CValue.float(.nan)) else { return XCTFail("float") }
    XCTAssertTrue(number.isNaN)
  }

  func testReferencesAreRefused() throws {
    let block = try Block(signature: "v@?") { _ in }
    for value in [
      CValue.object(LifetimeTracker()), .class(LifetimeTracker.self), .block(block),
      .array([.block(block)]),
    ] {
      XCTAssertThrowsError(try JSONEncoder().encode(value)) { error in
        XCTAssertTrue(error is EncodingError, "\(error)")
      }
    }
  }

  func testAnythingElseIsRefused() {
    let texts = [
      "{}", "[]", "7", "null", "{\"integer\":\"x\"}", "{\"integer\":1.5}", "{\"double\":\"\"}",
      "{\"complex\":[\"1\"]}", "{\"integer\":1,\"bool\":true}", "{\"unknown\":1}",
      "{\"bytes\":[256]}", "{\"pointer\":-1}", "{\"member\":{\"index\":0}}",
      "{\"integer\":\"340282366920938463463374607431768211456\"}", "{\"cString\":7}",
    ]
    for text in texts {
      XCTAssertThrowsError(try JSONDecoder().decode(CValue.self, from: Data(text.utf8)), text)
    }
  }
}
