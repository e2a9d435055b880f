import TestSupport
import TypeEncodings
import XCTest

final class TypeEncodingParsingTests: XCTestCase {
  func testEveryCodeHasItsKindAndPrintsAsItWasWritten() throws {
    let rows: [(text: String, kind: TypeEncoding.Kind, line: UInt)] = [
      ("v", .void, #line), ("B", .bool, #line), ("c", .int8, #line), ("C", .uint8, #line),
      ("s", .int16, #line), ("S", .uint16, #line), ("i", .int32, #line), ("I", .uint32, #line),
      ("l", .int32, #line), ("L", .uint32, #line), ("q", .int64, #line), ("Q", .uint64, #line),
      ("t", .int128, #line), ("T", .uint128, #line), ("f", .float, #line), ("d", .double, #line),
      ("D", .longDouble, #line), ("jf", .complexFloat, #line), ("jd", .complexDouble, #line),
      ("jD", .complexLongDouble, #line), ("ji", .unknown, #line), ("j ", .unknown, #line),
      (" ", .unknown, #line), ("?", .unknown, #line), ("*", .cString, #line),
      ("r*", .cString, #line), ("^i", .pointer, #line), ("^v", .pointer, #line),
      ("^ ", .pointer, #line), ("r^^{R}", .pointer, #line), ("^?", .functionPointer, #line),
      ("^^?", .pointer, #line), ("@", .object, #line), ("@\"NSString\"", .object, #line),
      ("@\"<P>\"", .object, #line), ("@\"C<P><Q>\"", .object, #line), ("#", .class, #line),
      (":", .selector, #line), ("@?", .block, #line),
      ("@?<v@?@\"X\"@?<q@?i>>", .block, #line), ("@?<v16@?0i8>", .block, #line),
      ("![16,16f]", .vector, #line), ("![12,16f]", .vector, #line), ("![8,8S]", .vector, #line),
      ("![64,64c]".withLocalVectors, .vector, #line), ("r^![16,16d]", .pointer, #line),
      ("{P=![8,8f]i}", .struct, #line), ("[2![16,16q]]", .array, #line),
      ("[12f]", .array, #line), ("[0i]", .array, #line), ("[3[4^{N}]]", .array, #line),
      ("{P=dd}", .struct, #line), ("{P}", .struct, #line), ("{E=}", .struct, #line),
      ("{?=ii}", .struct, #line), ("{??=ii}", .struct, #line), ("{?}", .struct, #line),
      ("{=ii}", .struct, #line), ("{A=b3b5}", .struct, #line), ("{A=cb8i3b32i0}", .struct, #line),
      ("{P=\"x\"d\"y\"d}", .struct, #line), ("{S=\"\"b3\"a\"i}", .struct, #line),
      ("{V=\"v\"\"i\"i}", .struct, #line), ("{V=^}", .struct, #line),
      ("{std::pair<int, ns::T<(x)1>>=iq}", .struct, #line),
      ("{Generic<(Int) -> Array<Int>>=q}", .struct, #line), ("{Ä=i}", .struct, #line),
      ("(U=if)", .union, #line), ("(?=if)", .union, #line), ("(U)", .union, #line),
      ("b3", .bitField, #line), ("b0i3", .bitField, #line), ("b62C2", .bitField, #line),
      ("Ai", .int32, #line), ("A{N}", .struct, #line), ("rnNoORVAi", .int32, #line),
      ("r^Ai", .pointer, #line), ("Vv", .void, #line),
    ]
    for row in rows {
      let encoding = try TypeEncoding(parsing: row.text)
      XCTAssertEqual(encoding.kind, row.kind, row.text, line: row.line)
      XCTAssertEqual(encoding.description, row.text, line: row.line)
    }
  }

  func testAQuotedTextBehindAnObjectNamesTheNextFieldUnlessTheFieldEndsThere() throws {
    let rows: [(text: String, names: [String?], classes: [String?], line: UInt)] = [
      ("{P=@\"a\"i}", [nil, nil], ["a", nil], #line),
      ("{P=\"o\"@\"a\"i}", ["o", "a"], [nil, nil], #line),
      ("{P=\"o\"@\"A\"\"a\"i}", ["o", "a"], ["A", nil], #line),
      ("{P=\"o\"@\"A\"}", ["o"], ["A"], #line),
      ("(P=\"o\"@\"A\")", ["o"], ["A"], #line),
      ("{P=\"o\"@\"o2\"@\"a\"i}", ["o", "o2", "a"], [nil, nil, nil], #line),
      ("{P=\"b\"@?\"a\"i}", ["b", "a"], [nil, nil], #line),
      ("{P=\"b\"@?<v@?@\"X\">\"a\"i}", ["b", "a"], [nil, nil], #line),
      ("{P=\"n\"{Q=@\"A\"i}\"a\"i}", ["n", "a"], [nil, nil], #line),
      ("{P=\"v\"\"a\"i}", ["v", "a"], [nil, nil], #line),
    ]
    for row in rows {
      let encoding = try TypeEncoding(parsing: row.text)
      XCTAssertEqual(encoding.description, row.text, line: row.line)
      let fields = try XCTUnwrap(encoding.fields, line: row.line)
      XCTAssertEqual(fields.map(\.name), row.names, row.text, line: row.line)
      let classes = fields.map { field -> String? in
        guard case .object(let className) = field.encoding.type else { return nil }
        return className
      }
      XCTAssertEqual(classes, row.classes, row.text, line: row.line)
    }
  }

  func testANextBitFieldIsToldFromGnusByTheWidthBehindTheType() throws {
    let next = try XCTUnwrap(TypeEncoding(parsing: "{A=b3i}").fields)
    XCTAssertEqual(next.map(\.encoding.kind), [.bitField, .int32])
    let gnu = try XCTUnwrap(TypeEncoding(parsing: "{A=b3i4i}").fields)
    XCTAssertEqual(gnu.map(\.encoding.kind), [.bitField, .int32])
    XCTAssertEqual(
      gnu.first?.encoding.type,
      .bitField(.init(width: 4, placement: .init(bitOffset: 3, base: .int32))))
  }

  func testMalformedEncodingsAreRefusedWithCodeAndByteOffset() {
    let rows: [(text: String, code: ErrorCode, offset: Int, line: UInt)] = [
      ("", .empty, 0, #line),
      ("y", .unexpectedCharacter, 0, #line),
      ("é", .unexpectedCharacter, 0, #line),
      ("\0", .unexpectedCharacter, 0, #line),
      ("ii", .trailingText, 1, #line),
      ("i8", .trailingText, 1, #line),
      ("8", .unexpectedCharacter, 0, #line),
      ("r", .unexpectedEnd, 1, #line),
      ("^", .unexpectedEnd, 1, #line),
      ("^y", .unexpectedCharacter, 1, #line),
      ("j", .unexpectedEnd, 1, #line),
      ("j@", .unexpectedCharacter, 1, #line),
      ("[", .malformedNumber, 1, #line),
      ("[i]", .malformedNumber, 1, #line),
      ("[-1i]", .malformedNumber, 1, #line),
      ("[04i]", .malformedNumber, 1, #line),
      ("[99999999999999999999i]", .numberTooLarge, 1, #line),
      ("[4", .unexpectedEnd, 2, #line),
      ("[4]", .vanishedType, 2, #line),
      ("[4i", .unexpectedEnd, 3, #line),
      ("[4ii]", .unexpectedCharacter, 3, #line),
      ("b", .malformedNumber, 1, #line),
      ("bi", .malformedNumber, 1, #line),
      ("b03", .malformedNumber, 1, #line),
      ("b8i03", .malformedNumber, 3, #line),
      ("{", .unterminated, 1, #line),
      ("{P", .unterminated, 2, #line),
      ("{P=", .unexpectedEnd, 3, #line),
      ("{P=i", .unexpectedEnd, 4, #line),
      ("{P=i)", .unexpectedCharacter, 4, #line),
      ("{P{=i}", .unexpectedCharacter, 2, #line),
      ("{P)", .unexpectedCharacter, 2, #line),
      ("{P<int=i}", .unterminated, 9, #line),
      ("{P=\"x}", .unterminated, 3, #line),
      ("{P=\"x", .unterminated, 3, #line),
      ("{P=}}", .trailingText, 4, #line),
      ("(U=i}", .unexpectedCharacter, 4, #line),
      ("}", .unexpectedCharacter, 0, #line),
      ("@\"NSString", .unterminated, 1, #line),
      ("@?<", .unexpectedEnd, 3, #line),
      ("@?<>", .unexpectedCharacter, 3, #line),
      ("@?<v", .unexpectedEnd, 4, #line),
      ("@?<v@?", .unexpectedEnd, 6, #line),
      ("@?<v>>", .trailingText, 5, #line),
      ("{P=iy}", .unexpectedCharacter, 4, #line),
    ]
    for row in rows {
      XCTAssertThrowsError(try TypeEncoding(parsing: row.text), row.text, line: row.line) { error in
        let error = error as? TypeEncodingError
        XCTAssertEqual(error?.code, row.code, row.text, line: row.line)
        XCTAssertEqual(error?.offset, row.offset, row.text, line: row.line)
        XCTAssertEqual(error?.input, row.text, line: row.line)
      }
    }
  }

  func testRandomEncodingsPrintAsTheyWereWrittenAndParseAgainAsEqual() throws {
    var random = RandomEncodings(seed: 20_26)
    for _ in 0..<4000 {
      let text = random.type()
      let encoding = try TypeEncoding(parsing: text)
      XCTAssertEqual(encoding.description, text)
      XCTAssertEqual(try TypeEncoding(parsing: encoding.description), encoding)
      XCTAssertTrue(encoding.isCompatible(with: encoding), text)
      _ = try? encoding.layout()
    }
  }

  func testTruncatedAndChangedEncodingsNeverCrashAndStillPrintWhatTheyParse() {
    var random = RandomEncodings(seed: 7)
    var generator = SeededGenerator(seed: 8)
    let alphabet = Array("{}[]()<>^@?\"=b0123456789irAjqv+-* ".utf8)
    for _ in 0..<4000 {
      var bytes = Array(random.signature(hasOffsets: Bool.random(using: &generator)).utf8)
      bytes = bytes.filter { $0 < 0x80 }
      if Bool.random(using: &generator) {
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
      }
      for index in bytes.indices where Int.random(in: 0..<20, using: &generator) == 0 {
        bytes[index] = alphabet.randomElement(using: &generator) ?? 0
      }
      let text = String(decoding: bytes, as: UTF8.self)
      if let encoding = try? TypeEncoding(parsing: text) {
        XCTAssertEqual(encoding.description, text)
      }
      if let signature = try? MethodSignature(parsing: text) {
        XCTAssertEqual(signature.description, text)
        _ = try? signature.callLayouts(usesStructReturn: Bool.random(using: &generator))
        _ = signature.differences(from: signature)
      }
    }
  }

  func testErrorsAreEqualByValueAndKeepAtMost200BytesOfTheInput() throws {
    let long = String(repeating: "é", count: 150)
    let error = try XCTUnwrap(Self.error(parsing: long))
    XCTAssertEqual(error.input, String(repeating: "é", count: 100))
    XCTAssertEqual(error, Self.error(parsing: long))
    XCTAssertNotEqual(error, Self.error(parsing: "ix"))
    XCTAssertEqual(
      "\(try XCTUnwrap(Self.error(parsing: "{P=i")))",
      "unexpectedEnd at byte 4 in \"{P=i\": a record is not closed; add }")
  }

  private static func error(parsing text: String) -> TypeEncodingError? {
    do throws(TypeEncodingError) {
      _ = try TypeEncoding(parsing: text)
      return nil
    } catch {
      return error
    }
  }
}

extension TypeEncoding {
  /// The members of a structure or union.
  fileprivate var fields: [FieldEncoding]? {
    switch type {
    case .structure(let record), .union(let record): record.fields
    default: nil
    }
  }
}
