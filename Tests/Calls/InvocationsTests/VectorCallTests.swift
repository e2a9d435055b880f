import BlockABI
import CInvocations.CallMemory
import Foundation
import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Vectors as Swift's types in calls, function pointers and blocks; `CallOracleTests` compares all kinds
/// of them with clang's calls.
final class VectorCallTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(CallEngine.current == .libffi, "libffi passes no vectors")
  }

  private static let float4 = "typedef float float4 __attribute__((vector_size(16))); "

  #if arch(x86_64)
  func testTheVectorFunctionsOfTheCLibraryAreCalled() throws {
    let sine = unsafe try CFunction("__m128d _ZGVbN2v_sin(__m128d)", library: "libmvec.so.1")
    let sines = try sine(SIMD2(0.5, -1.0)) as SIMD2<Double>
    XCTAssertEqual(sines.x, sin(0.5), accuracy: 1e-12)
    XCTAssertEqual(sines.y, sin(-1), accuracy: 1e-12)
    let power = unsafe try CFunction(
      "__m128 _ZGVbN4vv_powf(__m128, __m128)", library: "libmvec.so.1")
    let powers: SIMD4<Float> = try power(
      SIMD4<Float>(1, 2, 3, 4), SIMD4<Float>(repeating: 2))
    for index in 0..<4 {
      XCTAssertEqual(powers[index], Float((index + 1) * (index + 1)), accuracy: 1e-4)
    }
    XCTAssertEqual(
      try power.call(values: [
        .array([.float(1), .float(2), .float(3), .float(4)]),
        .array([.float(0), .float(0), .float(0), .float(0)]),
      ]), .array([.float(1), .float(1), .float(1), .float(1)]))
  }

  private func requireVectors(of bytes: UInt32) throws {
    try XCTSkipUnless(cbr_has_vectors(bytes), "this processor has no vectors of \(bytes) bytes")
  }

  func testTheWideVectorFunctionsOfTheCLibraryAreCalled() throws {
    try requireVectors(of: 32)
    let power = unsafe try CFunction(
      "__attribute__((abi(\"avx\"))) __m256d _ZGVdN4vv_pow(__m256d, __m256d)",
      library: "libmvec.so.1")
    let powers: SIMD4<Double> = try power(SIMD4(1.0, 2, 3, 4), SIMD4<Double>(repeating: 2))
    for index in 0..<4 {
      XCTAssertEqual(powers[index], Double((index + 1) * (index + 1)), accuracy: 1e-9)
    }
    try requireVectors(of: 64)
    let sine = unsafe try CFunction(
      "__attribute__((abi(\"avx512\"))) __m512d _ZGVeN8v_sin(__m512d)", library: "libmvec.so.1")
    let sines: SIMD8<Double> = try sine(SIMD8(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5))
    for index in 0..<8 { XCTAssertEqual(sines[index], sin(Double(index) / 2), accuracy: 1e-12) }
  }

  func testWideVectorsBeyondTheRegistersAreOnTheStack() throws {
    try requireVectors(of: 64)
    let parameters = repeatElement("__m512d", count: 10).joined(separator: ", ")
    let (function, pointer) = try function(
      "__attribute__((abi(\"avx512\"))) __m512d (*)(int, \(parameters))"
    ) { call in
      let addends = try (1...10).map { try call.argument($0, as: SIMD8<Double>.self) }
      try call.setResult(addends.reduce(.zero, +) * Double(try call.argument(0, as: Int32.self)))
    }
    try withExtendedLifetime(pointer) {
      let vectors = (1...10).map { CValue.array(Array(repeating: .double(Double($0)), count: 8)) }
      XCTAssertEqual(
        try function.call(values: [.integer(2)] + vectors),
        .array(Array(repeating: .double(110), count: 8)))
    }
  }
  #endif

  private func function(
    _ declaration: String, _ body: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws -> (CFunction, FunctionPointer) {
    let pointer = try FunctionPointer(declaration, body)
    let function = unsafe try CFunction(
      unsafeAddress: pointer.unsafeAddress, signature: pointer.signature.description)
    return (function, pointer)
  }

  func testAHandlerReadsSetsAndAnswersVectors() throws {
    let (function, pointer) = try function(
      Self.float4 + "float4 (*)(float4, double, float4, int)"
    ) { call in
      let factor = Float(try call.argument(1, as: Double.self))
      let (first, last) = (
        try call.argument(0, as: SIMD4<Float>.self), try call.argument(3, as: Int32.self)
      )
      try call.setArgument(2, call.argument(2, as: SIMD4<Float>.self) * factor)
      try call.setResult(first + call.argument(2, as: SIMD4<Float>.self) + Float(last))
    }
    try withExtendedLifetime(pointer) {
      let sum: SIMD4<Float> = try function(
        SIMD4<Float>(1, 2, 3, 4), 2.0, SIMD4<Float>(10, 20, 30, 40), Int32(100))
      XCTAssertEqual(sum, SIMD4(121, 142, 163, 184))
    }
  }

  func testAPreparedCallHasPlacesForVectors() throws {
    let (function, pointer) = try function(Self.float4 + "float4 (*)(float, float4)") { call in
      try call.setResult(
        call.argument(1, as: SIMD4<Float>.self) * call.argument(0, as: Float.self))
    }
    let invocation = Invocation(function)
    try invocation.setArgument(0, Float(0))
    try invocation.setArgument(1, SIMD4<Float>())
    let call = try invocation.prepared()
    try call.argument(0, as: Float.self).value = 3
    try call.argument(1, as: SIMD4<Float>.self).value = SIMD4(1, 2, 3, 4)
    withExtendedLifetime(pointer) { call() }
    XCTAssertEqual(try call.result(as: SIMD4<Float>.self).value, SIMD4(3, 6, 9, 12))
    expectError(.typeMismatch) { _ = try call.argument(1, as: SIMD4<Int32>.self) }
    XCTAssertEqual(try invocation.argument(1, as: SIMD4<Float>?.self), SIMD4(1, 2, 3, 4))
    XCTAssertEqual(
      try invocation.argument(1, as: CValue.self),
      .array([.float(1), .float(2), .float(3), .float(4)]))
    XCTAssertTrue(try invocation.argument(1, as: Any.self) is CValue)
  }

  func testVectorsOfOtherTypesAreRefused() throws {
    let (function, pointer) = try function(Self.float4 + "float4 (*)(float4)") { call in
      expectError(.typeMismatch) { _ = try call.argument(0, as: SIMD2<Double>.self) }
      expectError(.typeMismatch) { _ = try call.argument(0, as: SIMD3<Float>.self) }
      expectError(.typeMismatch) { try call.setResult(SIMD4<Int32>()) }
      expectError(.typeMismatch) { try call.setResult(Float(1)) }
      XCTAssertEqual(call.arguments.description, "[float 1.0, float 2.0, float 3.0, float 4.0]")
      try call.setResult(call.argument(0, as: SIMD4<Float>.self))
    }
    try withExtendedLifetime(pointer) {
      expectError(.typeMismatch) { _ = try function(SIMD4<Int32>()) as SIMD4<Float> }
      expectError(.typeMismatch) { _ = try function(Float(1)) as SIMD4<Float> }
      let value = SIMD4<Float>(1, 2, 3, 4)
      XCTAssertEqual(try function(value) as SIMD4<Float>, value)
    }
  }

  func testABlockMadeOfADeclarationTakesVectors() throws {
    let block = try Block(declaration: Self.float4 + "float4 (^)(float4, float4)") { call in
      try call.setResult(
        call.argument(1, as: SIMD4<Float>.self) - call.argument(2, as: SIMD4<Float>.self))
    }
    let difference: SIMD4<Float> = try block.call(
      SIMD4<Float>(5, 6, 7, 8), SIMD4<Float>(1, 2, 3, 4))
    XCTAssertEqual(difference, SIMD4(repeating: 4))
    let pointer = try FunctionPointer(calling: block)
    let function = unsafe try CFunction(
      unsafeAddress: pointer.unsafeAddress, signature: pointer.signature.description)
    try withExtendedLifetime(pointer) {
      XCTAssertEqual(
        try function(SIMD4<Float>(1, 2, 3, 4), SIMD4<Float>()) as SIMD4<Float>, SIMD4(1, 2, 3, 4))
    }
  }

  func testADeclarationSettlesAVectorThatVanishedFromABlocksEncoding() throws {
    let made = try Block(declaration: Self.float4 + "float4 (^)(float4)") { call in
      try call.setResult(call.argument(1, as: SIMD4<Float>.self) * 2)
    }
    let block = unsafe try made.assuming(signature: "v@?").assuming(
      declaration: Self.float4 + "float4 (^)(float4)")
    XCTAssertEqual(try block.call(SIMD4<Float>(1, 2, 3, 4)) as SIMD4<Float>, SIMD4(2, 4, 6, 8))
    expectError(.invalidSignature, "vector_size") {
      _ = unsafe try made.assuming(declaration: "float *x __attribute__((vector_size(16)))")
    }
    expectError(.invalidSignature) { _ = unsafe try made.assuming(declaration: "int f(int)") }
    XCTAssertTrue(unsafe try made.assuming(declaration: "void (^)(int, ...)").isVariadic)
  }

  func testRecordsOfVectorsAreSwiftStructures() throws {
    struct Pair: Equatable { var a, b: SIMD4<Float> }
    struct Half: Equatable { var a: SIMD2<Float>, b: Int32 }
    let (function, pointer) = try function(
      Self.float4 + "typedef float float2 __attribute__((vector_size(8)));"
        + "struct Pair { float4 a, b; }; struct Half { float2 a; int b; };"
        + "struct Pair (*)(struct Half, struct Pair)"
    ) { call in
      let (half, pair) = (try call.argument(0, as: Half.self), try call.argument(1, as: Pair.self))
      XCTAssertEqual(half, Half(a: SIMD2(1, 2), b: 3))
      try call.setResult(Pair(a: pair.b, b: pair.a * Float(half.b)))
    }
    try withExtendedLifetime(pointer) {
      let pair = Pair(a: SIMD4(1, 2, 3, 4), b: SIMD4(5, 6, 7, 8))
      XCTAssertEqual(
        try function(Half(a: SIMD2(1, 2), b: 3), pair) as Pair,
        Pair(a: pair.b, b: SIMD4(3, 6, 9, 12)))
    }
  }

  func testWhatCompilersPassDifferentlyIsRefusedByName() {
    let rows = [
      ("v![32,32f]", "-mavx"), ("![64,64d]", "-mavx"),
      ("v{R=x![32,32f]i}", "by itself"), ("vAx![32,32f]", "atomic"), ("v![4,4c]", "4 bytes"),
      ("v![24,32d]", "-mavx"), ("v{R=![32,32f]}", "-mavx"), ("{R=[2![32,32f]]}", "-mavx"),
      ("v{R=i![4,4s]}", "4 bytes"), ("vA![16,16f]", "atomic"), ("v{R=A![16,16f]}", "atomic"),
      ("A![16,16f]", "atomic"), ("v![16,16f]Ai", "atomic"),
    ]
    for (signature, words) in rows {
      expectError(.unsupportedType, words) {
        _ = unsafe try CFunction(symbol: "abs", signature: signature.withLocalVectors)
      }
    }
  }

  func testLibffiRefusesVectorsByName() {
    for signature in ["v![16,16f]", "![8,8f]", "v{R=![8,8f]}"] {
      expectError(.unsupportedType, "leave CallEngine.current at plans") {
        _ = try CallInterface(CallInterface.of(signature).signature, engine: .libffi)
      }
    }
    expectError(.unsupportedType, "variadic") {
      _ = unsafe try CFunction(symbol: "printf", signature: "i*![16,16f]", fixedArgumentCount: 1)
    }
    XCTAssertNoThrow(
      try CallInterface(
        CallInterface.of("v^![16,16f][2![32,32f]]".withLocalVectors).signature, engine: .libffi))
  }
}
