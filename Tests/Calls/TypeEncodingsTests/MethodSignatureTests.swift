import TestSupport
import TypeEncodings
import XCTest

final class MethodSignatureTests: XCTestCase {
  func testSignaturesOfEveryDialectKeepTheirFormAndText() throws {
    typealias Form = MethodSignature.Form
    let rows: [(text: String, form: Form, count: Int, frame: Int?, line: UInt)] = [
      ("v", .function, 0, nil, #line),
      ("v0", .function, 0, 0, #line),
      ("i20@?0i8d12", .block, 3, 20, #line),
      ("v@?", .block, 1, nil, #line),
      ("{P=dd}36@?0{P=dd}8r*24c32", .block, 4, 36, #line),
      ("v16@?0@?<v@?i>8", .block, 2, 16, #line),
      ("v16@?<v@?i>0@\"NSString\"8", .block, 2, 16, #line),
      ("v16@0:8", .method, 2, 16, #line),
      ("v16#0:8", .method, 2, 16, #line),
      ("Vv16@0:8", .method, 2, 16, #line),
      ("v@:", .method, 2, nil, #line),
      ("v@\"X\":", .method, 2, nil, #line),
      ("v@", .function, 1, nil, #line),
      ("v:@", .function, 2, nil, #line),
      ("ddd", .function, 2, nil, #line),
      ("d16d0d8", .function, 2, 16, #line),
      ("@12@-0:-4:-8", .method, 3, 12, #line),
      ("@12@+0:+4:+8", .method, 3, 12, #line),
      ("v+4i-4", .function, 1, 4, #line),
      ("v@?i8", .block, 2, nil, #line),
      ("v16@?0^8", .block, 2, 16, #line),
      ("c56@?0c8s12i16q20q28C36I40Q44B52", .block, 10, 56, #line),
      ("v@?{P=\"x\"d\"o\"@\"A\"}@", .block, 3, nil, #line),
    ]
    for row in rows {
      let signature = try MethodSignature(parsing: row.text)
      XCTAssertEqual(signature.description, row.text, line: row.line)
      XCTAssertEqual(signature.form, row.form, row.text, line: row.line)
      XCTAssertEqual(signature.arguments.count, row.count, row.text, line: row.line)
      XCTAssertEqual(signature.frameSize?.bytes, row.frame, row.text, line: row.line)
    }
  }

  func testAVanishedVectorIsReportedAtItsOffset() throws {
    let signature = try MethodSignature(parsing: "24@?08")
    XCTAssertEqual(signature.description, "24@?08")
    XCTAssertEqual(signature.result.type, .vanished)
    XCTAssertEqual(signature.frameSize?.bytes, 24)
    XCTAssertEqual(signature.arguments.map(\.encoding.type), [.block(nil), .vanished])
    XCTAssertEqual(signature.arguments.map(\.frameOffset?.bytes), [0, 8])
    XCTAssertThrowsError(try signature.callLayouts()) { error in
      let error = error as? TypeEncodingError
      XCTAssertEqual(error?.code, .vanishedType)
      XCTAssertEqual(error?.message.hasPrefix("argument 1: "), true, "\(error?.message ?? "")")
    }
  }

  func testAVanishedArgumentBetweenOthersKeepsItsPlace() throws {
    let signature = try MethodSignature(parsing: "v28@?08i24")
    XCTAssertEqual(signature.description, "v28@?08i24")
    XCTAssertEqual(signature.arguments.map(\.frameOffset?.bytes), [0, 8, 24])
    XCTAssertEqual(signature.arguments.map(\.encoding.kind), [.block, .unknown, .int32])
  }

  func testMalformedSignaturesAreRefusedWithCodeAndByteOffset() {
    let rows: [(text: String, code: ErrorCode, offset: Int, line: UInt)] = [
      ("", .empty, 0, #line),
      ("24", .unexpectedEnd, 2, #line),
      ("v08", .malformedNumber, 1, #line),
      ("v16@?00", .malformedNumber, 6, #line),
      ("v16@?0i8y", .unexpectedCharacter, 8, #line),
      ("v16@?0i+", .malformedNumber, 8, #line),
      ("v16@?0i-", .malformedNumber, 8, #line),
      ("v99999999999999999999@", .numberTooLarge, 1, #line),
      ("v@?>", .unexpectedCharacter, 3, #line),
      ("v16@?0^", .unexpectedEnd, 7, #line),
    ]
    for row in rows {
      XCTAssertThrowsError(try MethodSignature(parsing: row.text), row.text, line: row.line) {
        let error = $0 as? TypeEncodingError
        XCTAssertEqual(error?.code, row.code, row.text, line: row.line)
        XCTAssertEqual(error?.offset, row.offset, row.text, line: row.line)
      }
    }
  }

  func testRandomSignaturesPrintAsTheyWereWritten() throws {
    var random = RandomEncodings(seed: 42)
    for round in 0..<3000 {
      let text = random.signature(hasOffsets: round % 2 == 0)
      let signature = try MethodSignature(parsing: text)
      XCTAssertEqual(signature.description, text)
      XCTAssertEqual(signature.differences(from: signature), [], text)
    }
  }

  func testABitFieldGetsNoFrameOffsetThatWouldReadAsItsWidth() throws {
    for text in ["b2i20@?", "b3", "^b3i"] {
      let signature = try MethodSignature(parsing: text)
      XCTAssertThrowsError(try signature.withFrameOffsets(), text) { error in
        XCTAssertEqual((error as? TypeEncodingError)?.code, .noLayout, text)
      }
    }
  }

  func testFrameOffsetsAreRegeneratedByTheCompilersRule() throws {
    let rows: [(text: String, expected: String, line: UInt)] = [
      ("i@?id", "i20@?0i8d12", #line),
      ("c@?csiqqCIQB", "c56@?0c8s12i16q20q28C36I40Q44B52", #line),
      ("v@?[3i]{P=dd}AcD", "v49@?0[3i]8{P=dd}16Ac32D33", #line),
      ("{E=}@?{E=}", "{E=}8@?0{E=}8", #line),
      ("v12@0:4i8", "v20@0:8i16", #line),
      ("v12@+0:+4i+8", "v20@0:8i16", #line),
      ("v12@?0{A=b3b5}8", "v12@?0{A=b3b5}8", #line),
      ("v@?[9{A=b3i}]d", "v24@?0[9{A=b3i}]8d16", #line),
    ]
    for row in rows {
      let signature = try MethodSignature(parsing: row.text)
      XCTAssertEqual(try signature.withFrameOffsets().description, row.expected, line: row.line)
    }
    XCTAssertEqual(
      try MethodSignature(parsing: "i20@?<v16@?0i8>0i8d+12").withoutFrameOffsets().description,
      "i@?<v16@?0i8>id")
    expectError(.ambiguousLayout) {
      _ = try MethodSignature(parsing: "v@?{A=b3b5}").withFrameOffsets()
    }
    expectError(.noLayout) { _ = try MethodSignature(parsing: "v@?[9{A=b3i}]v").withFrameOffsets() }
  }

  /// GNUstep libs-base, Tests/base/NSMethodSignature/general.m: selector types that match.
  func testSelectorTypesOfGnustepMatchWhateverTheirOffsets() throws {
    let pairs: [(own: String, other: String, line: UInt)] = [
      ("@@::", "@12@0:4:8", #line), ("@@::", "@12@+0:+4:+8", #line),
      ("@@::", "@12@-0:-4:-8", #line), ("@12@0:4:8", "@@::", #line),
      ("@12@+0:+4:+8", "@@::", #line), ("@12@-0:-4:-8", "@@::", #line),
      ("@12@0:4:8", "@12@+0:+4:+8", #line), ("@12@0:4:8", "@12@-0:-4:-8", #line),
      ("@12@+0:+4:+8", "@12@0:4:8", #line), ("@12@-0:-4:-8", "@12@0:4:8", #line),
      ("@12@0:4:8", "@16@+4:+8:+12", #line), ("@12@0:4:8", "@16@-4:-8:-12", #line),
      ("@12@+0:+4:+8", "@16@4:8:12", #line), ("@12@-0:-4:-8", "@16@4:8:12", #line),
      ("{_Large2={_Large=dd}dd}@:", "{??={??=dd}dd}16@0:4", #line),
      (
        "{_Large=dd}56@+8:+12@+16c+23s+26i+28l24f28d32{_Large=dd}40{_Small=c}44",
        "{_Large=dd}46@+8:+12@+16c+17s+16i+20l+24f+28d24{_Large=dd}32{_Small=c}45", #line
      ),
      (
        "{_Large=dd}56@+8:+12@+16c+23s+26i+28l24f28d32{_Large=dd}40{_Small=c}44",
        "{??=dd}46@+8:+12@+16c+17s+16i+20l+24f+28d24{??=dd}32{??=c}45", #line
      ),
    ]
    for pair in pairs {
      let own = try MethodSignature(parsing: pair.own)
      let other = try MethodSignature(parsing: pair.other)
      XCTAssertEqual(own.description, pair.own, line: pair.line)
      XCTAssertEqual(other.description, pair.other, line: pair.line)
      XCTAssertEqual(own.differences(from: other), [], line: pair.line)
      XCTAssertEqual(other.differences(from: own), [], line: pair.line)
    }
  }

  /// GNUstep libs-base, Tests/base/NSMethodSignature/alloca_cap.m.
  func testManyArgumentsAreReadAndTooManyRefused() throws {
    let many = try MethodSignature(parsing: "v@:" + String(repeating: "i", count: 252))
    XCTAssertEqual(many.arguments.count, 254)
    XCTAssertNoThrow(try many.callLayouts())
    XCTAssertEqual(try many.withFrameOffsets().frameSize?.bytes, 16 + 4 * 252)
    expectError(.tooLong) {
      _ = try MethodSignature(parsing: "v@:" + String(repeating: "i", count: 1_500_000))
    }
  }

  /// GNUstep libs-base, Tests/base/NSMethodSignature/general.m: `const char *` is `r*`.
  func testAConstCStringKeepsItsQualifier() throws {
    XCTAssertEqual(try MethodSignature(parsing: "r*16@0:8").result.description, "r*")
  }

  func testTypesThatAreSpelledOutAreAnsweredWithTheirEncoding() {
    let rows: [(text: String, encoding: String)] = [
      ("double, double", "dd"), ("double pow(double, double)", "ddd"),
      ("double (double x, double y)", "ddd"), ("int, int", "ii"),
      ("const char *, size_t", "r*Q"), ("char *strchr(const char *s, int c)", "*r*i"),
      ("int snprintf(char *text, size_t size, const char *format, ...);", "i*Qr*"),
      ("unsigned long long int, _Bool", "QB"), ("long double, float", "Df"),
      ("int getpid(void)", "i"), ("void *malloc(size_t)", "^vQ"),
      ("int main(int argc, char **argv)", "ii^*"), ("int fclose(FILE *)", "i^{_IO_FILE}"),
      ("void qsort(void *, size_t, const int *)", "v^vQr^i"),
      ("Double, Int32, Bool", "diB"), ("short", "s"), ("float", "f"),
      ("void (*handler)(int)", "vi"),
    ]
    for (text, encoding) in rows {
      XCTAssertThrowsError(try MethodSignature(parsing: text), text) { error in
        let message = (error as? TypeEncodingError)?.message ?? ""
        XCTAssertTrue(
          message.hasSuffix(
            "; an encoding has a code for each type, the result first: write \(encoding) for \(text)"
          ),
          "\(text): \(message)")
      }
      XCTAssertNoThrow(try MethodSignature(parsing: encoding), text)
    }
    let error = expectError(.unexpectedCharacter) {
      _ = try MethodSignature(parsing: "double, double")
    }
    XCTAssertEqual(
      error?.description,
      "unexpectedCharacter at byte 2: no type begins with this character; an encoding has a code for "
        + "each type, the result first: write dd for double, double")
    // What lists no types by their names is answered as before.
    for text in ["v@:u", "{P=i", "d[", "u", "double, nothing", "Page *"] {
      do {
        _ = try MethodSignature(parsing: text)
        XCTFail(text)
      } catch { XCTAssertFalse(error.message.contains("write"), "\(text): \(error)") }
    }
  }
}
