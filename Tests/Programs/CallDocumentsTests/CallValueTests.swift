#if Everything
import TestSupport
import XCTest

/// How values of every type reach a C function and come back, with libc as the other side.
final class CallValueTests: XCTestCase {
  /// A call by its words, and its answer: a document, or the beginning of an error.
  private struct Row {
    let words: [String]
    let answer: String
    let line: UInt

    init(_ call: String, _ values: String..., gives answer: String, line: UInt = #line) {
      words = call.split(separator: " ").map(String.init) + values
      self.answer = answer
      self.line = line
    }
  }

  private func check(_ rows: [Row], file: StaticString = #filePath) throws {
    for row in rows {
      let outcome = try CommandLineTool.run(["call", "--json"] + row.words)
      let isError = row.answer.hasPrefix("!")
      let code = row.answer.dropFirst().split(separator: " ", maxSplits: 1)
      let expected =
        isError
        ? #"{"error":{"code":"\#(code[0])","message":"\#(code.count > 1 ? code[1] : "")"#
        : row.answer + "\n"
      XCTAssertTrue(
        isError ? outcome.output.hasPrefix(expected) : outcome.output == expected,
        "\(row.words): \(outcome.output) is not \(expected)", file: file, line: row.line)
      XCTAssertEqual(outcome.status, isError ? 1 : 0, file: file, line: row.line)
      XCTAssertEqual(outcome.errors, "", file: file, line: row.line)
    }
  }

  func testIntegers() throws {
    try check([
      Row("- abs ii", "-5", gives: #"{"result":5,"outputs":[null]}"#),
      Row("- abs ii", #""-5""#, gives: #"{"result":5,"outputs":[null]}"#),
      Row("- abs ii", #""0x7fFF""#, gives: #"{"result":32767,"outputs":[null]}"#),
      Row("- abs ii", "2.0", gives: "!typeMismatch argument 0: an integer"),
      Row("- abs ii", "1e3", gives: "!typeMismatch argument 0"),
      Row("- abs ii", "true", gives: "!typeMismatch argument 0"),
      Row("- abs ii", "null", gives: "!typeMismatch argument 0"),
      Row("- abs ii", #"" 5""#, gives: "!typeMismatch argument 0"),
      Row("- abs ii", #""0x""#, gives: "!typeMismatch argument 0"),
      Row("- abs ii", #""+5""#, gives: "!typeMismatch argument 0"),
      Row("- abs ii", "five", gives: "!malformedJSON argument 0"),
      Row("- abs ii", "007", gives: "!malformedJSON argument 0"),
      Row("- abs ii", "2147483648", gives: "!valueOutOfRange argument 0"),
      Row("- abs ii", #""0x80000000""#, gives: "!valueOutOfRange argument 0"),
      Row("- abs iC", "256", gives: "!valueOutOfRange argument 0: 256 is out of range: 0 to 255"),
      Row("- abs iC", "-1", gives: "!valueOutOfRange argument 0"),
      Row("- abs cc", "-128", gives: #"{"result":-128,"outputs":[null]}"#),
      Row(
        "- labs qq", "-9007199254740992", gives: #"{"result":9007199254740992,"outputs":[null]}"#),
      Row(
        "- labs qq", "9007199254740993", gives: #"{"result":"9007199254740993","outputs":[null]}"#),
      Row(
        "- labs QQ", "18446744073709551615", gives: #"{"result":1,"outputs":[null]}"#),
    ])
  }

  func testIntegersOf128BitsAreStrings() throws {
    let library = "libgcc_s.so.1"
    let large = "170141183460469231731687303715884105727"
    try check([
      Row(
        "\(library) __divti3 ttt", large, "-1",
        gives: #"{"result":"-\#(large)","outputs":[null,null]}"#),
      Row(
        "\(library) __divti3 ttt", #""0x64""#, "7", gives: #"{"result":"14","outputs":[null,null]}"#
      ),
      Row(
        "\(library) __udivti3 TTT", "340282366920938463463374607431768211455", "1",
        gives: #"{"result":"340282366920938463463374607431768211455","outputs":[null,null]}"#),
      Row("\(library) __udivti3 TTT", "-1", "1", gives: "!valueOutOfRange argument 0"),
      Row("\(library) __divti3 ttt", large + "0", "1", gives: "!valueOutOfRange argument 0"),
    ])
  }

  func testTruthValues() throws {
    try check([
      Row("- abs BB", "true", gives: #"{"result":true,"outputs":[null]}"#),
      Row("- abs BB", "0", gives: #"{"result":false,"outputs":[null]}"#),
      Row("- abs BB", "1", gives: #"{"result":true,"outputs":[null]}"#),
      Row("- abs BB", "2", gives: "!typeMismatch argument 0"),
      Row("- abs BB", "1.0", gives: "!typeMismatch argument 0"),
      Row("- abs BB", #""true""#, gives: "!typeMismatch argument 0"),
    ])
  }

  func testFloatsAtTheirOwnPrecision() throws {
    try check([
      Row("- fabsf ff", "0.1", gives: #"{"result":0.1,"outputs":[null]}"#),
      Row("- fabsf ff", "16777217", gives: #"{"result":16777216,"outputs":[null]}"#),
      Row("- fabsf ff", "1e39", gives: "!valueOutOfRange argument 0"),
      Row("- fabs dd", "-0.1", gives: #"{"result":0.1,"outputs":[null]}"#),
      Row("- fabs dd", "5e-324", gives: #"{"result":5e-324,"outputs":[null]}"#),
      Row("- fabs dd", "1e400", gives: "!valueOutOfRange argument 0"),
      Row("- fabs dd", "nan", gives: #"{"result":"nan","outputs":[null]}"#),
      Row("- fabs dd", "-inf", gives: #"{"result":"inf","outputs":[null]}"#),
      Row("- fabs dd", #""inf""#, gives: #"{"result":"inf","outputs":[null]}"#),
      Row("- fabs dd", "NaN", gives: "!malformedJSON argument 0"),
      Row("- fabs dd", #""1.5""#, gives: "!typeMismatch argument 0"),
      Row("- fabs dd", "true", gives: "!typeMismatch argument 0"),
      Row("- fabsl DD", "0.1", gives: #"{"result":0.1,"outputs":[null]}"#),
      Row("- fabsl DD", "1e5000", gives: "!valueOutOfRange argument 0"),
    ])
    // Elsewhere Swift's widest number is `Double`.
    #if arch(x86_64)
    try check([
      Row("- fabsl DD", "-1e4000", gives: #"{"result":1e+4000,"outputs":[null]}"#),
      Row(
        "- fabsl DD", "9007199254740993", gives: #"{"result":9007199254740993,"outputs":[null]}"#),
    ])
    #endif
  }

  func testComplexNumbers() throws {
    try check([
      Row("libm.so.6 cabs djd", "[3,4]", gives: #"{"result":5,"outputs":[null]}"#),
      Row(
        "libm.so.6 conjf jfjf", #"["nan",0.1]"#, gives: #"{"result":["nan",-0.1],"outputs":[null]}"#
      ),
      Row("libm.so.6 conj jdjd", "[3,-4.5]", gives: #"{"result":[3,4.5],"outputs":[null]}"#),
      Row("libm.so.6 conjl jDjD", "[0.1,1]", gives: #"{"result":[0.1,-1],"outputs":[null]}"#),
      Row("libm.so.6 cabs djd", "3", gives: "!typeMismatch argument 0"),
      Row("libm.so.6 cabs djd", "[3]", gives: "!typeMismatch argument 0"),
      Row("libm.so.6 cabs djd", "[3,null]", gives: "!typeMismatch argument 0, imaginary part"),
    ])
  }

  func testVectorsAreLists() throws {
    try check([
      Row("- labs ![16,16f]![16,16f]", "[1,2,3]", gives: "!typeMismatch argument 0"),
      Row("- labs ![8,8C]![8,8C]", "[1,2,3,4,5,6,7,256]", gives: "!valueOutOfRange argument 0"),
      Row(
        "- labs v![32,32f]".withLocalVectors, "[1,2,3,4,5,6,7,8]",
        gives: "!unsupportedType argument 0"),
    ])
    #if arch(x86_64)
    try check([
      Row(
        "libmvec.so.1 _ZGVbN2v_exp ![16,16d]![16,16d]", "[0,0]",
        gives: #"{"result":[1,1],"outputs":[null]}"#)
    ])
    #endif
  }

  func testStringsAndPointers() throws {
    try check([
      Row("- strlen Qr*", "hello", gives: #"{"result":5,"outputs":[null]}"#),
      Row("- strdup *r*", #""\ud83d\ude00""#, gives: #"{"result":"😀","outputs":[null]}"#),
      Row("- strdup *r*", #""a\u0000b""#, gives: "!valueOutOfRange argument 0"),
      Row("- getenv *r*", "NO_SUCH_VARIABLE", gives: #"{"result":null,"outputs":[null]}"#),
      Row("- labs *q", "16", gives: "!unreadableString result"),
      Row("- labs ^v^v", #""0xABC""#, gives: #"{"result":"0xabc","outputs":[null]}"#),
      Row("- labs @@", "null", gives: #"{"result":null,"outputs":[null]}"#),
      Row("- labs ##", #""0x10""#, gives: #"{"result":"0x10","outputs":[null]}"#),
      Row("- labs @?@?", #""0x10""#, gives: #"{"result":"0x10","outputs":[null]}"#),
      Row("- labs q@:", "null", "null", gives: #"{"result":0,"outputs":[null,null]}"#),
      Row("- labs ^v^v", #""16""#, gives: "!typeMismatch argument 0"),
      Row("- labs ^v^v", "16", gives: "!typeMismatch argument 0"),
      Row("- labs ^v^v", "0x10", gives: "!malformedJSON argument 0"),
      Row("- labs ^v^v", #""0x10000000000000000""#, gives: "!typeMismatch argument 0"),
      Row("- labs q^?", #"{"buffer":[1]}"#, gives: "!unsupportedType argument 0"),
      Row("- labs q^{FILE}", #"{"buffer":[1]}"#, gives: "!noLayout argument 0"),
    ])
  }

  func testRecordsArraysAndUnions() throws {
    try check([
      Row("- div {?=ii}ii", "17", "5", gives: #"{"result":[3,2],"outputs":[null,null]}"#),
      Row(
        "- abs (U=ic)(U=ic)", #"{"member":0,"value":-258}"#,
        gives: #"{"result":{"bytes":"02010000"},"outputs":[null]}"#),
      Row(
        "- abs (U=ic)(U=ic)", #"{"value":7,"member":1}"#,
        gives: #"{"result":{"bytes":"07000000"},"outputs":[null]}"#),
      Row("- abs (U=ic)(U=ic)", #"{"value":7,"member":2}"#, gives: "!valueOutOfRange argument 0"),
      Row("- abs (U=ic)(U=ic)", "7", gives: "!typeMismatch argument 0"),
      Row(#"- abs i{P="x"i}"#, #"{"x":-3}"#, gives: #"{"result":3,"outputs":[null]}"#),
      Row(#"- abs i{P="x"i}"#, #"{"y":-3}"#, gives: "!typeMismatch argument 0"),
      Row(#"- abs i{P="x"i}"#, #"{"x":-3,"y":1}"#, gives: "!typeMismatch argument 0"),
      Row("- abs i{P=i}", #"{"x":-3}"#, gives: "!typeMismatch argument 0"),
      Row("- abs i{P=i}", "[-3]", gives: #"{"result":3,"outputs":[null]}"#),
      Row("- abs i{P=i}", "[]", gives: "!typeMismatch argument 0"),
      Row("- abs i{P=i}", "[2.5]", gives: "!typeMismatch argument 0, member 0"),
      Row("- abs i{B=b0B1b1B1}", "[true,0]", gives: #"{"result":1,"outputs":[null]}"#),
      Row("- abs i{S=i[2{E=}]}", "[-3,[[],[]]]", gives: #"{"result":3,"outputs":[null]}"#),
      Row("- abs i{B=b0B1b1B1}", "[2,0]", gives: "!typeMismatch argument 0, member 0"),
      Row("- abs i{B=b0I3b3i5}", "[8,0]", gives: "!valueOutOfRange argument 0, member 0"),
      Row("- abs i{B=b0I3b3i5}", "[5,-16]", gives: #"{"result":133,"outputs":[null]}"#),
      Row("- abs i[2i]", "[1]", gives: "!typeMismatch argument 0"),
    ])
  }

  func testBuffers() throws {
    try check([
      Row(
        "libm.so.6 frexp dd^i", "10", #"{"buffer":[0]}"#,
        gives: #"{"result":0.625,"outputs":[null,[4]]}"#),
      Row(
        "- strtol qr*^*i", "12ab", #"{"buffer":[null]}"#, "10",
        gives: #"{"result":12,"outputs":[null,["ab"],null]}"#),
      Row(
        "- swab v^{P=SS}^{P=SS}q", #"{"buffer":[[1,2]]}"#, #"{"buffer":[[0,0]]}"#, "4",
        gives: #"{"result":null,"outputs":[[[1,2]],[[256,512]],null]}"#),
      Row(
        "- swab v[2S]^v", "[1,2]", gives: "!argumentCount v[2S]^v takes 2 arguments, 1 is given"),
      Row(
        "- swab v[2S]^vq", "[1,2]", #"{"buffer":[0,0,0,0]}"#, "4",
        gives: #"{"result":null,"outputs":[null,[0,1,0,2],null]}"#),
      Row("- abs i^i", #"{"buffer":7}"#, gives: "!typeMismatch argument 0"),
      Row("- abs i^i", #"{"buffer":[7,"x"]}"#, gives: "!typeMismatch argument 0, element 1"),
      Row("- abs i^C", #"{"buffer":[256]}"#, gives: "!valueOutOfRange argument 0, element 0"),
    ])
  }

  func testVariadicArgumentsArePromoted() throws {
    let buffer = #"{"buffer":[9,9,9,9,9,9,9,9,9]}"#
    try check([
      Row(
        "--fixed 3 - snprintf i*Qr*fcB", buffer, "9", "%g %d %d", "0.5", "-5", "true",
        gives: #"{"result":8,"outputs":[[48,46,53,32,45,53,32,49,0],null,null,null,null,null]}"#),
      Row(
        "--fixed 3 - snprintf i*Qr*S", buffer, "9", "%d", "65535",
        gives: #"{"result":5,"outputs":[[54,53,53,51,53,0,9,9,9],null,null,null]}"#),
      Row(
        "--fixed 3 - snprintf i*Qr*c", "null", "0", "%d", "300",
        gives: "!valueOutOfRange argument 3"),
      Row("--fixed 9 - snprintf i*Qr*c", "null", "0", "%d", "3", gives: "!argumentCount"),
      // The types are those of the format, whatever the encoding's way of naming the function.
      Row(
        "--fixed 3 - snprintf i*Qr*", buffer, "9", "%s%*d%.0f", "a", "3", "7", "2.0",
        gives: #"{"result":5,"outputs":[[97,32,32,55,50,0,9,9,9],null,null,null,null,null,null]}"#),
      Row(
        "--fixed 3 - snprintf i*Qr*", "null", "0", "%d", "0.5", gives: "!typeMismatch argument 3"),
      Row("--fixed 3 - snprintf i*Qr*", "null", "0", "%d", gives: "!argumentCount"),
      Row("--fixed 3 - snprintf i*Qr*", "null", "0", "%d", "1", "2", gives: "!argumentCount"),
      Row("--fixed 3 - snprintf i*Qr*", "null", "0", "%y", "1", gives: "!invalidFormat"),
      Row("--fixed 1 - abs ii", "1", gives: "!argumentCount"),
      Row("--fixed 1 - open i*i", "/", "0", gives: "!argumentCount"),
      Row(
        "--fixed 2 - sscanf i**", "12 x", "%d %1[a-z]", #"{"buffer":[0]}"#, #"{"buffer":[1,1]}"#,
        gives: #"{"result":2,"outputs":[null,null,[12],[120,0]]}"#),
      // A format of wchar_t may be text, too.
      Row(
        "--fixed 3 - swprintf i^iQ^i", #"{"buffer":[0,0,0,0]}"#, "4", "%s%d", "x", "7",
        gives: #"{"result":2,"outputs":[[120,55,0,0],null,[37,115,37,100,0],null,null]}"#),
      Row(
        "--fixed 3 - swprintf i^iQ^i", #"{"buffer":[0,0,0,0]}"#, "4",
        #"{"buffer":[37,115,37,100,0]}"#, "x", "7",
        gives: #"{"result":2,"outputs":[[120,55,0,0],null,[37,115,37,100,0],null,null]}"#),
      Row("- vprintf ir*^{__va_list_tag=II^v^v}", "x", "null", gives: "!unsupportedType"),
      // A float is rounded as a float first: 0.1 is 0.10000000149 then.
      Row(
        "--fixed 3 - snprintf i*Qr*f", "null", "0", "%.12g", "0.1",
        gives: #"{"result":13,"outputs":[null,null,null,null]}"#),
      Row(
        "--fixed 3 - snprintf i*Qr*d", "null", "0", "%.12g", "0.1",
        gives: #"{"result":3,"outputs":[null,null,null,null]}"#),
    ])
  }

  func testWhatCannotBeCalledIsRefused() throws {
    try check([
      Row("- no_such_function v", gives: "!symbolNotFound"),
      Row("no_such_library.so abs ii", "1", gives: "!libraryNotFound"),
      Row("- abs iX", "1", gives: "!unexpectedCharacter"),
      Row("- abs i{P}", "1", gives: "!noLayout argument 0"),
      Row("- abs [2i]i", "1", gives: "!noLayout result"),
      Row("- abs ii", gives: "!argumentCount"),
      Row("- abs ii", "1", "2", gives: "!argumentCount"),
    ])
  }
}
#endif
