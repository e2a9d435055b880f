import BlockABI
import CFixtures
import Glibc
import Invocations
import TestSupport
import TypeEncodings
import XCTest

final class CFunctionTests: XCTestCase {
  func testAFunctionIsCalledByName() throws {
    let pow = unsafe try CFunction(symbol: "pow", library: "libm.so.6", signature: "ddd")
    let result: Double = try pow(2.0, 10.0)
    XCTAssertEqual(result, 1024)
    let other: Double = try pow(2, 10)
    XCTAssertEqual(other, 1024)
    XCTAssertEqual(try pow.call(values: [2.0, 10.0]), 1024.0)
  }

  func testAKnownFunctionNeedsNoSignature() throws {
    let pow = try CFunction.known("pow")
    XCTAssertEqual(try pow.call(values: [2.0, 10.0]), 1024.0)
    var text = [CChar](repeating: 0, count: 32)
    let print = try CFunction.known("snprintf", variadic: [Int32.self, Double.self])
    let count: Int32 = unsafe try text.withUnsafeMutableBufferPointer { buffer in
      try unsafe "%d %g".withCString { format in
        unsafe try print(buffer.baseAddress, UInt(32), format, Int32(7), 0.5)
      }
    }
    XCTAssertEqual(count, 5)
    XCTAssertEqual(
      String(decoding: text.prefix(5).map(UInt8.init(bitPattern:)), as: UTF8.self), "7 0.5")
    XCTAssertThrowsError(try CFunction.known("pwo")) { error in
      let error = error as? InvocationError
      XCTAssertEqual(
        (error?.underlyingError as? TypeEncodingError)?.code, .unknownFunction)
      XCTAssertTrue(error?.message.contains("did you mean pow?") == true, "\(error as Any)")
    }
  }

  func testComplexNumbersAreSwiftTypes() throws {
    let root = unsafe try CFunction("double _Complex csqrt(double _Complex)", library: "libm.so.6")
    let result: ComplexDouble = try root(ComplexDouble(-4, 0))
    XCTAssertEqual(result, ComplexDouble(0, 2))
    let pair: (Double, Double) = try root((-9.0, 0.0))
    XCTAssertEqual(pair.1, 3)
    let conjugate = unsafe try CFunction(
      "float _Complex conjf(float _Complex)", library: "libm.so.6")
    XCTAssertEqual(try conjugate(ComplexFloat(1, 2)), ComplexFloat(1, -2))
    let sum = try Block(declaration: "double _Complex (^)(float _Complex, double)") { call in
      let first = try call.argument(1, as: ComplexFloat.self)
      let second = try call.argument(2, as: Double.self)
      try call.setResult(ComplexDouble(Double(first.real) + second, Double(first.imaginary)))
    }
    XCTAssertEqual(try sum.call(ComplexFloat(1, 2), 3.0), ComplexDouble(4, 2))
    for wrong in [{ try root(ComplexFloat(1, 2)) }, { try root((1.0, Float(2))) }]
      as [() throws -> ComplexDouble]
    {
      XCTAssertThrowsError(try wrong()) { error in
        XCTAssertEqual((error as? InvocationError)?.code, .typeMismatch)
      }
    }
  }

  func testALongDoubleKeepsItsBits() throws {
    let next = unsafe try CFunction(
      "long double nextafterl(long double, long double)", library: "libm.so.6")
    // The number above 1 has one more in the last place.
    #if arch(arm64)
    let (one, two) = (
      LongDoubleBits(low: 0, high: 0x3fff << 48), LongDoubleBits(low: 0, high: 0x4000 << 48)
    )
    #else
    let (one, two) = (
      LongDoubleBits(low: 1 << 63, high: 0x3fff), LongDoubleBits(low: 1 << 63, high: 0x4000)
    )
    #endif
    let above: LongDoubleBits = try next(one, two)
    XCTAssertEqual(above.low, one.low + 1)
    XCTAssertEqual(above.high & 0xffff, one.high & 0xffff)
  }

  func testAStructureResultComesBack() throws {
    let div = unsafe try CFunction(symbol: "div", signature: "{div_t=ii}ii")
    XCTAssertEqual(try div.call(values: [17, 5]), .structure([3, 2]))
    let typed: div_t = try div(17, 5)
    XCTAssertEqual(typed.quot, 3)
    XCTAssertEqual(typed.rem, 2)
  }

  func testAResultThatIsReturnedThroughMemoryCanBeIgnored() throws {
    let mallinfo = unsafe try CFunction(symbol: "mallinfo", signature: "{mallinfo=iiiiiiiiii}")
    try mallinfo()
    try mallinfo()
    let calls = Recorder<Int64>()
    let block = try Block(signature: "{five=qqqqq}@?q") { call in
      calls.record(try call.argument(1))
      try call.setResultValue(.structure([1, 2, 3, 4, 5]))
    }
    // The first call finds the interface, the second one may be a plain call.
    for value in Int64(1)...3 { try block.call(value) }
    XCTAssertEqual(calls.entries, [1, 2, 3])
  }

  func testAVariadicFunctionTakesPromotedArguments() throws {
    let sum = unsafe try CFunction(
      unsafeAddress: try address(of: "snprintf"), signature: "i*Qr*idr*", fixedArgumentCount: 3)
    var buffer = [CChar](repeating: 0, count: 64)
    let count: Int32 = unsafe try buffer.withUnsafeMutableBufferPointer { bytes in
      unsafe try sum(bytes.baseAddress, 64, "%d %.1f %s", 7, 2.5, "end")
    }
    XCTAssertEqual(count, 9)
    XCTAssertEqual(String(decoding: buffer.prefix(9).map(UInt8.init), as: UTF8.self), "7 2.5 end")
    expectError(.invalidSignature) {
      _ = unsafe try CFunction(symbol: "printf", signature: "ir*f", fixedArgumentCount: 1)
    }
    expectError(.argumentCount) {
      _ = unsafe try CFunction(symbol: "printf", signature: "ir*d", fixedArgumentCount: 3)
    }
  }

  func testAFunctionThatPrintsByAFormatIsRefusedWithoutItsNumberOfDeclaredArguments() throws {
    let rows: [(symbol: String, signature: String, fixed: Int?, message: String)] = [
      (
        "snprintf", "i*Qr*i", nil,
        "snprintf is variadic: pass fixedArgumentCount: 3, for its declaration names 3 arguments"
      ),
      (
        "snprintf", "i*Qr*i", 2,
        "snprintf is variadic: pass fixedArgumentCount: 3, for its declaration names 3 arguments"
      ),
      (
        "printf", "ir*", nil,
        "printf is variadic: pass fixedArgumentCount: 1, for its declaration names 1 argument"
      ),
      (
        "fprintf", "i^vr*", nil,
        "fprintf is variadic: pass fixedArgumentCount: 2, for its declaration names 2 arguments"
      ),
    ]
    for row in rows {
      let byText = expectError(.argumentCount) {
        _ = unsafe try CFunction(
          symbol: row.symbol, signature: row.signature, fixedArgumentCount: row.fixed)
      }
      XCTAssertEqual(byText?.message, row.message)
      let bySignature = expectError(.argumentCount) {
        _ = unsafe try CFunction(
          symbol: row.symbol, signature: MethodSignature(parsing: row.signature),
          fixedArgumentCount: row.fixed)
      }
      XCTAssertEqual(bySignature?.message, row.message)
    }
    // Functions that take a list of arguments are not variadic.
    _ = unsafe try CFunction(symbol: "vsnprintf", signature: "i*Qr*^v")
  }

  func testAnArrayInPlaceOfAPointerIsRefusedWithItsPlaceAndARemedy() throws {
    let memset = unsafe try CFunction(symbol: "memset", signature: "^v^viQ")
    let snprintf = unsafe try CFunction(
      symbol: "snprintf", signature: "i*Qr*i", fixedArgumentCount: 3)
    var bytes = [UInt8](repeating: 1, count: 8)
    var text = [CChar](repeating: 1, count: 8)
    (bytes[0], text[0]) = (1, 1)
    let remedy = "call in the array's withUnsafeMutableBufferPointer, and pass the baseAddress"
    let first = expectError(.typeMismatch) { try memset(&bytes, 0, 8) }
    XCTAssertEqual(
      first?.message,
      "argument 0: Array<UInt8> is no pointer, and the signature says ^v (pointer): \(remedy)")
    XCTAssertEqual(first?.place, .argument(0))
    let second = expectError(.typeMismatch) { try snprintf(&text, 8, "%d", 7) }
    XCTAssertEqual(
      second?.message,
      "argument 0: Array<Int8> is no pointer, and the signature says * (cString): \(remedy)")
    XCTAssertEqual(bytes, [UInt8](repeating: 1, count: 8))
    XCTAssertEqual(text, [CChar](repeating: 1, count: 8))
    let block = try Block(signature: "v@?i^C") { _ in }
    for index in [1, 2] {
      let error = expectError(.typeMismatch) {
        if index == 1 { try block.call([Int: Set<Int>](), 0) }
        if index == 2 { try block.call(1, bytes[1...]) }
      }
      XCTAssertEqual(error?.place, .argument(index))
    }
  }

  func testNumbersOfArgumentsAreInTheSingularWhereThereIsOne() throws {
    let abs = unsafe try CFunction(symbol: "abs", signature: "ii")
    let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
    let rows: [(String, () throws -> Void)] = [
      ("ii takes 1 argument, 2 are given", { try abs(1, 2) }),
      ("ii takes 1 argument, 0 are given", { _ = try abs.call(values: []) }),
      ("ddd takes 2 arguments, 1 is given", { try pow(1.0) }),
    ]
    for (message, body) in rows {
      XCTAssertEqual(expectError(.argumentCount) { try body() }?.message, message)
    }
  }

  private func address(of symbol: String) throws -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(try XCTUnwrap(dlsym(nil, symbol)))
  }

  func testWhatIsMissingIsNamed() {
    expectError(.symbolNotFound) {
      _ = unsafe try CFunction(symbol: "no_such_function", signature: "v")
    }
    expectError(.libraryNotFound) {
      _ = unsafe try CFunction(symbol: "pow", library: "libnone.so", signature: "ddd")
    }
    for signature in ["", "{", "d[", "v{P=", "i\u{0}"] {
      expectError(.invalidSignature) {
        _ = unsafe try CFunction(symbol: "pow", signature: signature)
      }
    }
  }

  func testTypesThatCannotBePassedAreRefusedWithTheirPlace() {
    let rows: [(signature: String, code: ErrorCode)] = [
      ("i{A=b20b20b20}", .invalidSignature), ("iv", .invalidSignature), ("i?", .invalidSignature),
      ("i{F=i[0i]}", .unsupportedType), ("{E=}i", .invalidSignature),
      ("i{Opaque}", .invalidSignature),
      ("[4i]i", .invalidSignature),
      // clang and gcc disagree about these.
      ("i{A=Ai}", .unsupportedType), ("{A=cAs}i", .unsupportedType),
      ("i{A=[2Ac]}", .unsupportedType), ("iAi", .unsupportedType), ("iAjf", .unsupportedType),
      ("AjDi", .unsupportedType),
    ]
    for row in rows {
      XCTAssertThrowsError(
        unsafe try CFunction(symbol: "abs", signature: row.signature), row.signature
      ) { error in
        XCTAssertEqual((error as? InvocationError)?.code, row.code, "\(row.signature) \(error)")
      }
    }
  }

  func testCallsThatWouldOverflowTheStackAreRefused() throws {
    let rows = [
      "v" + String(repeating: "i", count: 100_000), "v{S=[100000000c]}", "{S=[1000000000c]}",
      "v{S=[2000000000c]}{S=[2000000000c]}",
    ]
    for signature in rows {
      expectError(.unsupportedType) {
        _ = unsafe try CFunction(symbol: "abs", signature: signature)
      }
    }
    let many = String(repeating: "i", count: 1000)
    let last = try FunctionPointer(signature: "i" + many) { call in
      try call.setResultValue(call.argumentValue(999))
    }
    let function = unsafe try CFunction(unsafeAddress: last.unsafeAddress, signature: "i" + many)
    XCTAssertEqual(try function.call(values: (0..<1000).map { .integer($0) }), 999)
  }

  func testAnEmptyRecordTakesNoRegister() throws {
    let abs = unsafe try CFunction(symbol: "abs", signature: "i{E=}(U=)i")
    XCTAssertEqual(try abs.call(values: [.structure([]), .bytes([]), -5]), 5)
  }

  func testAResultMayPointIntoAnArgument() throws {
    let strchr = unsafe try CFunction(symbol: "strchr", signature: "*r*i")
    let tail: String = try strchr("key=value", 61)
    XCTAssertEqual(tail, "=value")
    XCTAssertEqual(try strchr.call(values: ["key=value", 61]), "=value")
  }

  func testAFunctionIsAValueOfItsSwiftType() throws {
    let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
    let power = try pow.value(as: (@convention(c) (Double, Double) -> Double).self)
    XCTAssertEqual(power(2, 10), 1024)
    let abs = unsafe try CFunction(symbol: "abs", signature: "ii")
    XCTAssertEqual(try abs.value(as: (@convention(c) (Int32) -> Int32).self)(-5), 5)
  }

  func testAFunctionIsNoValueOfAnotherType() throws {
    let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
    expectError(.typeMismatch) {
      _ = try pow.value(as: (@convention(c) (Double) -> Double).self)
    }
    expectError(.typeMismatch) {
      _ = try pow.value(as: (@convention(c) (Double, Double) -> Void).self)
    }
    expectError(.typeMismatch) {
      _ = try pow.value(as: (@convention(c) (Double, Float) -> Double).self)
    }
    expectError(.typeMismatch) {
      _ = try pow.value(as: (@convention(block) (Double, Double) -> Double).self)
    }
    expectError(.typeMismatch) {
      _ = try pow.value(as: ((Double, Double) -> Double).self)
    }
    expectError(.typeMismatch) { _ = try pow.value(as: Int.self) }
    expectError(.typeMismatch) { _ = try pow.value(as: (Int, Int).self) }
    XCTAssertThrowsError(
      try pow.value(as: (@convention(c) (Double, Int32) -> Double).self)
    ) { error in
      let message = (error as? InvocationError)?.message ?? ""
      XCTAssertTrue(message.contains("argument 1"), message)
    }
  }

  func testFunctionsBlocksAndPointersAreDeclaredInC() throws {
    let pow = unsafe try CFunction("double pow(double, double)", library: "libm.so.6")
    XCTAssertEqual(try pow(2, 10) as Double, 1024)
    let div = unsafe try CFunction("struct quotients { int quot, rem; } div(int, int)")
    XCTAssertEqual(try div.call(values: [17, 5]), .structure([3, 2]))

    let descending = try FunctionPointer("int (*)(const void *, const void *)") { call in
      func number(_ index: Int) throws -> Int32 {
        // SAFETY: `qsort` passes pointers to the elements.
        unsafe try call.argument(index, as: UnsafeRawPointer.self).load(as: Int32.self)
      }
      try call.setResult(number(1) - number(0))
    }
    var numbers: [Int32] = [3, 1, 2]
    let qsort = unsafe try CFunction(
      "void qsort(void *base, size_t count, size_t size, int (*)(const void *, const void *))")
    unsafe try numbers.withUnsafeMutableBytes { bytes in
      unsafe try qsort(bytes.baseAddress, 3, 4, descending.unsafeAddress)
    }
    XCTAssertEqual(numbers, [3, 2, 1])

    let twice = try Block(declaration: "double (^twice)(double)") { call in
      try call.setResult(call.argument(1, as: Double.self) * 2)
    }
    XCTAssertEqual(try twice.call(21.0) as Double, 42)
  }

  func testAVariadicFunctionIsDeclaredWithTheTypesThatArePassed() throws {
    let snprintf = unsafe try CFunction(
      "int snprintf(char *, size_t, const char *, ...)", variadic: [Int32.self, Double.self])
    var text = [CChar](repeating: 0, count: 32)
    let count: Int32 = unsafe try text.withUnsafeMutableBufferPointer { text in
      unsafe try snprintf(text.baseAddress, 32, "%d %g", 7, 0.5)
    }
    XCTAssertEqual(count, 5)
    XCTAssertEqual(String(decoding: text.prefix(5).map(UInt8.init), as: UTF8.self), "7 0.5")
  }

  func testDeclarationsOfOtherThingsAreRefused() {
    func assertRefused(
      _ words: String, line: UInt = #line, _ body: () throws -> some Any
    ) {
      XCTAssertThrowsError(try body(), line: line) { error in
        guard let error = error as? InvocationError else { return XCTFail("\(error)", line: line) }
        XCTAssert(error.message.contains(words), "\(error)", line: line)
      }
    }
    assertRefused("no function") { unsafe try CFunction("double pow") }
    assertRefused("name") { unsafe try CFunction("double (double, double)") }
    assertRefused("...") { unsafe try CFunction("int abs(int)", variadic: [Int32.self]) }
    assertRefused("abz") { unsafe try CFunction("int abz(int)") }
    assertRefused("(^)") { try Block(declaration: "int (*)(int)") { _ in } }
    assertRefused("(*)") { try FunctionPointer("int (^)(int)") { _ in } }
    assertRefused("no block") {
      try Block(declaration: "int each(void (^)(void))") { _ in }
    }
    assertRefused("variable") { unsafe try CFunction("char **(*environ)(int)") }
    XCTAssertNoThrow(try FunctionPointer("void (*)(void (^)(void))") { _ in })
    assertRefused("typedef") { try Block(declaration: "CGFloat (^)(void)") { _ in } }
  }
}
