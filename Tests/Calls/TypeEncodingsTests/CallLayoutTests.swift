import TestSupport
import TypeEncodings
import XCTest

final class CallLayoutTests: XCTestCase {
  func testBlocksOfTheCompilerHaveTheSizesItGivesThem() throws {
    let blocks = OracleBlock.compiledAsC + OracleBlock.compiledAsObjectiveC
    XCTAssertGreaterThan(blocks.count, 40)
    for block in blocks {
      let context = "\(block.name) \(block.signature)"
      let signature = try MethodSignature(parsing: block.signature)
      XCTAssertEqual(signature.description, block.signature)
      XCTAssertEqual(signature.form, .block, context)
      let refusal = Self.refusal(of: signature, usesStructReturn: block.usesStructReturn)
      XCTAssertEqual(refusal?.code.rawValue, block.refusal, "\(context) \(refusal?.message ?? "")")
      guard block.refusal == nil else { continue }
      let result = try signature.resultLayout(usesStructReturn: block.usesStructReturn)
      XCTAssertEqual(result?.size ?? 0, block.sizes.first, context)
      let sizes = try signature.arguments.indices.dropFirst().map {
        try signature.argumentLayout(at: $0).size
      }
      XCTAssertEqual(sizes, Array(block.sizes.dropFirst()), context)
      XCTAssertEqual(try signature.withFrameOffsets().description, block.signature, context)
    }
  }

  func testFrameOffsetsAndTheStructReturnFlagSettleOrRefuseWhatTheEncodingLeavesOpen() {
    typealias Code = ErrorCode
    let rows: [(text: String, flag: Bool?, code: Code?, place: String, line: UInt)] = [
      ("v12@?0{A=b3b5}8", nil, nil, "", #line),
      ("v9@?0{A=b3b5}8", nil, nil, "", #line),
      ("v@?{A=b3b5}", nil, nil, "", #line),
      ("v12@?0{A=cb8}8", nil, nil, "", #line),
      ("v16@?0{A={B=cb12}[2c]s}8", nil, nil, "", #line),
      ("v16@?0{A=b3b5b30}8", nil, nil, "", #line),
      ("v11@?0{A=b3b5}8", nil, .packedRecord, "argument 1: ", #line),
      ("v12@?0{A=b1b1b1b1b1b1}8", nil, nil, "", #line),
      ("v12@?0{A=b200}8", nil, .noLayout, "argument 1: ", #line),
      ("v40@?0{A=b3b5}8", nil, .vanishedType, "argument 1: ", #line),
      ("{A=b3b5}8@?0", false, nil, "", #line),
      ("{A=b3b5}8@?0", true, .structReturnMismatch, "result: ", #line),
      ("{A=qqb64}8@?0", false, .structReturnMismatch, "result: ", #line),
      ("{A=ddb3b5}8@?0", true, nil, "", #line),
      ("v@?{E=}", nil, nil, "", #line),
      ("v8@?0{E=}8", nil, nil, "", #line),
      ("v24@?0{E=}8", nil, .vanishedType, "argument 1: ", #line),
      ("{E=}8@?0", false, .vanishedType, "result: ", #line),
      ("{P=dd}8@?0", true, .structReturnMismatch, "result: ", #line),
      ("{P=ddd}8@?0", false, .structReturnMismatch, "result: ", #line),
      ("{P=ddd}8@?0", nil, nil, "", #line),
      ("(U=Di)8@?0", true, nil, "", #line),
      ("D8@?0", true, nil, "", #line),
      ("v24@?0i8", nil, .vanishedType, "argument 1: ", #line),
      ("v12@?0d8", nil, nil, "", #line),
      ("v24@?0{A=qqq}8", nil, .packedRecord, "argument 1: ", #line),
      ("v12@?0i4{A=i^v}8", nil, nil, "", #line),
      ("v24@?0v8", nil, .noLayout, "argument 1: ", #line),
      ("v24@?0?8", nil, .noLayout, "argument 1: ", #line),
      ("v@?b3", nil, .noLayout, "argument 1: ", #line),
      ("v@?{O}", nil, .noLayout, "argument 1: ", #line),
      ("[3i]@?", nil, .noLayout, "result: ", #line),
      ("?@?", nil, .noLayout, "result: ", #line),
      ("v16@?0[9{O}]8", nil, nil, "", #line),
      ("v160", nil, .vanishedType, "", #line),
      ("v28@?0i816", nil, .vanishedType, "argument 0: ", #line),
      ("v9223372036854775807i-9223372036854775807", nil, nil, "", #line),
    ]
    for row in rows {
      guard let signature = try? MethodSignature(parsing: row.text) else {
        XCTFail("does not parse: \(row.text)", line: row.line)
        continue
      }
      let refusal = Self.refusal(of: signature, usesStructReturn: row.flag)
      let message = refusal?.message ?? row.place
      XCTAssertEqual(refusal?.code, row.code, "\(row.text) \(message)", line: row.line)
      XCTAssertTrue(message.hasPrefix(row.place), message, line: row.line)
    }
  }

  func testSettledBitFieldsHaveTheirPlaces() throws {
    let signature = try MethodSignature(parsing: "v12@?0{A=b3b5}8")
    let layout = try signature.argumentLayout(at: 1)
    XCTAssertEqual(layout.size, 4)
    XCTAssertEqual(layout.alignment, 4)
    XCTAssertEqual(layout.fields.map(\.bitOffset), [0, 3])
    XCTAssertEqual(layout.fields.map(\.layout), [nil, nil])
  }

  func testTheSmallestLayoutStandsForThoseThatArePassedAlike() throws {
    let rows: [(record: String, size: Int, isSettled: [Bool])] = [
      ("{A=^vb1b1}", 16, [true, true, true]), ("{A=b3b5}", 1, [true, true]),
      ("{A=b7b5}", 2, [true, false]), ("{A=iiiib3}", 20, [true, true, true, true, true]),
      ("{A=b1b1b1b1b1b1b1b1b24}", 4, Array(repeating: true, count: 9)),
      ("{A=^v{B=b3b5}}", 16, [true, true]), ("{A=db1}", 16, [true, true]),
      ("(A=ib3)", 4, [true, true]), ("{A=b100}", 16, [true]),
    ]
    for (record, size, isSettled) in rows {
      for text in ["v@?\(record)", "\(record)@?"] {
        let layouts = try MethodSignature(parsing: text).callLayouts()
        let layout = try XCTUnwrap(layouts.result ?? layouts.arguments.last)
        XCTAssertEqual(layout.size, size, text)
        XCTAssertEqual(layout.fields.map(\.isSettled), isSettled, text)
      }
    }
    // By another choice the second word is passed as a number, or there is none.
    #if arch(x86_64)
    for record in ["{A=b20b20b20}", "{A=fb3b30}", "{A=i[2{B=b3}]}", "{A=[2{B=cb8i8}]}"] {
      expectError(.ambiguousLayout) {
        _ = try MethodSignature(parsing: "v@?\(record)").callLayouts()
      }
    }
    #endif
  }

  func testManyBitFieldsWithoutDeclaredTypeAreRefusedBeforeTheSearchTakesLong() throws {
    let record = "{A=b1b1b1b1b1}"
    let offsets = (1...20_000).map { "\(record)\($0)" }.joined()
    let signature = try MethodSignature(parsing: "v20001" + offsets)
    XCTAssertEqual(Self.refusal(of: signature, usesStructReturn: nil)?.code, .ambiguousLayout)
    let flags = "{A=" + String(repeating: "b1", count: 64)
    let wide = (0..<97).map { _ in "{B=" + String(repeating: "q", count: 100) + "}" }.joined()
    for (text, isRefused) in [
      ("v@?\(flags)}", false), ("v@?\(flags)b1}", true), ("\(flags)b1}@?", true),
      ("v@?" + String(repeating: flags + "}", count: 17), true), ("v@?{A=b3b6b5\(wide)}", false),
    ] {
      let signature = try MethodSignature(parsing: text)
      let code = Self.refusal(of: signature, usesStructReturn: nil)?.code
      XCTAssertEqual(code, isRefused ? .ambiguousLayout : nil, text)
    }
    let long = "{A=b1" + String(repeating: "i", count: 300) + "}"
    expectError(.ambiguousLayout) {
      _ = try MethodSignature(parsing: "v1204@?0\(long)8").callLayouts()
    }
  }

  func testAnArgumentThatDoesNotExistIsRefused() throws {
    let signature = try MethodSignature(parsing: "v8@?0")
    for index in [-1, 1, Int.max] {
      expectError(.argumentIndex) { _ = try signature.argumentLayout(at: index) }
    }
  }

  private static func refusal(
    of signature: MethodSignature, usesStructReturn: Bool?
  ) -> TypeEncodingError? {
    do throws(TypeEncodingError) {
      try signature.callLayouts(usesStructReturn: usesStructReturn)
      return nil
    } catch {
      return error
    }
  }

  #if arch(x86_64)
  func testAFieldThatMovesWithTheNamesOfSomeBitFieldsIsNotSettled() throws {
    // With a name for the `int` alone, the inner record begins at byte 4; with none, at byte 1.
    let signature = try MethodSignature(parsing: "v{?=b0c5{R=Bb8Q5b13i10}qb128C5}")
    let layout = try signature.callLayouts().arguments[0]
    XCTAssertEqual(layout.size, 24)
    XCTAssertEqual(layout.fields.map(\.isSettled), [true, false, true, true])
  }
  #endif
}
