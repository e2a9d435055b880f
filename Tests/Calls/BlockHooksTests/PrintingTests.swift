import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import XCTest

final class PrintingTests: XCTestCase {
  func testATargetPrintsItsArgumentsAndItsResult() throws {
    let lines = Recorder<String>()
    let work: @convention(block) (Int32, Double, Bool) -> Int32 = { value, _, _ in
      lines.record("ran")
      return value
    }
    try Block(work).install(.printing { lines.record($0) })
    XCTAssertEqual(work(5, 2.5, true), 5)
    XCTAssertEqual(lines.entries, ["i32 5, double 2.5, true", "ran", "→ i32 5"])
  }

  /// The text of one argument of a type, given as a value described at run time.
  private func text(_ encoding: String, _ value: CValue) throws -> String {
    let texts = Recorder<String>()
    let block = try Block(signature: "v@?" + encoding) { call in
      texts.record(call.arguments.description)
    }
    _ = try block.call(values: [value])
    return try XCTUnwrap(texts.entries.first)
  }

  func testEveryTypeHasAText() throws {
    let rows: [(encoding: String, value: CValue, text: String, line: UInt)] = [
      ("c", -5, "i8 -5", #line), ("c", 97, "i8 97 'a'", #line), ("C", 200, "u8 200", #line),
      ("s", -300, "i16 -300", #line), ("Q", 7, "u64 7", #line), ("B", true, "true", #line),
      ("t", .integer(Int128.min), "i128 \(Int128.min)", #line),
      ("T", .unsignedInteger(.max), "u128 \(UInt128.max)", #line),
      ("f", 1.5, "float 1.5", #line), ("d", .double(.nan), "double nan", #line),
      ("D", .longDouble(0.1), "long double \(LongDouble(0.1))", #line),
      ("jd", .complex(real: 1, imaginary: -2), "complex 1.0-2.0i", #line),
      ("*", "say \"hi\"\n", "\"say \\\"hi\\\"\\n\"", #line), ("r*", .cString(nil), "null", #line),
      ("*", .pointer(0x10), "unreadable 0x10", #line),
      ("^i", .pointer(0xABC), "^i 0xabc", #line), ("^v", .pointer(0), "null", #line),
      ("^?", .pointer(0xABC), "function 0xabc", #line),
      (":", .pointer(0xABC), "selector 0xabc", #line),
      ("@?", .block(nil), "null", #line), ("@", .object(nil), "null", #line),
      ("{P=dd}", .structure([1.0, 2.0]), "{P double 1.0, double 2.0}", #line),
      ("{P=\"x\"i\"y\"f}", .structure([1, 2.0]), "{P x: i32 1, y: float 2.0}", #line),
      ("{?=[2i]}", .structure([.array([1, 2])]), "{[i32 1, i32 2]}", #line),
      ("{B=b0i3b3I5}", .structure([-1, 17]), "{B -1, 17}", #line),
      ("(U=iS)", .member(index: 0, value: 258), "U(02010000)", #line),
    ]
    for row in rows {
      XCTAssertEqual(try text(row.encoding, row.value), row.text, line: row.line)
    }
  }

  func testABlockArgumentShowsItsSignature() throws {
    let inner: @convention(block) (Int) -> Void = { _ in }
    let text = try text("@?", .block(Block(inner)))
    XCTAssertTrue(text.hasPrefix("block v@?q 0x"), text)
  }

  func testALongTextIsCapped() throws {
    let text = try text("*", .cString(String(repeating: "x", count: 10_000)))
    XCTAssertEqual(text, "\"" + String(repeating: "x", count: 256) + "\"…")
  }
}
