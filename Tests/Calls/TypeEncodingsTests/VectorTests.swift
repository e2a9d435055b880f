import TestSupport
import TypeEncodings
import XCTest

/// Vectors of the processor in encodings, in declarations and among Swift's types.
final class VectorTests: XCTestCase {
  func testVectorsHaveTheirPowerOfTwoAsSizeAndAlignment() throws {
    for (text, size) in [
      ("![8,8f]", 8), ("![12,16f]", 16), ("![16,16f]", 16), ("![24,32d]", 32), ("![6,8s]", 8),
      ("![2,2c]", 2), ("![64,64Q]", 64),
    ] {
      #if arch(arm64)
      let alignment = min(size, 16)
      #else
      let alignment = size
      #endif
      XCTAssertEqual(
        try TypeEncoding(parsing: text.withLocalVectors).layout(),
        TypeLayout(size: size, alignment: alignment), text)
    }
    let record = try TypeEncoding(parsing: "{R=c![8,8f]i![16,16f]}").layout()
    XCTAssertEqual(record.fields.map(\.offset), [0, 8, 16, 32])
    XCTAssertEqual([record.size, record.alignment], [48, 16])
  }

  func testHostileVectorsAreRefused() {
    let rows: [(String, ErrorCode)] = [
      ("!", .unexpectedEnd), ("!f", .unexpectedCharacter), ("![", .malformedNumber),
      ("![16", .unexpectedEnd), ("![16,", .malformedNumber), ("![16,16", .unexpectedCharacter),
      ("![16,16f", .unexpectedEnd), ("![16,16]", .unexpectedCharacter),
      ("![16,16@]", .unexpectedCharacter), ("![16,16^f]", .unexpectedCharacter),
      ("![16,16{P=i}]", .unexpectedCharacter), ("![0,0f]", .noLayout), ("![16,8f]", .noLayout),
      ("![4,4f]", .noLayout), ("![20,32f]", .noLayout), ("![15,16f]", .noLayout),
      ("![128,128f]", .noLayout), ("![16,16B]", .noLayout), ("![16,16v]", .noLayout),
      ("![32,32D]", .noLayout), ("![32,32t]", .noLayout), ("![16,16*]", .noLayout),
      ("![16,16:]", .noLayout), ("![1099511627776,16f]", .noLayout),
      ("![9223372036854775807,16c]", .noLayout), ("![99999999999999999999,16f]", .numberTooLarge),
      ("![-16,16f]", .malformedNumber),
    ]
    for (text, code) in rows {
      XCTAssertThrowsError(try TypeEncoding(parsing: text), text) { error in
        XCTAssertEqual((error as? TypeEncodingError)?.code, code, "\(text): \(error)")
      }
    }
    for (count, element) in [
      (0, PrimitiveType.float), (-4, .float), (.max, .double), (.min, .int8), (4, .void),
      (4, .blank),
    ] {
      let encoding = TypeEncoding(.vector(count: count, element: element))
      XCTAssertThrowsError(try encoding.layout(), "\(encoding)")
    }
  }

  func testDeclarationsMakeVectors() throws {
    let rows = [
      ("float __attribute__((vector_size(16)))", "![16,16f]"),
      ("__attribute__((__vector_size__(4 * sizeof(int)))) int x", "![16,16i]"),
      ("unsigned short x __attribute__((vector_size(8)))", "![8,8S]"),
      ("typedef float float3 __attribute__((ext_vector_type(3))); float3", "![12,16f]"),
      ("typedef double T __attribute__((vector_size(16), may_alias)); T *p", "^![16,16d]"),
      ("typedef long T __attribute__((vector_size(16))), *P; P p", "^q"),
      ("typedef int T __attribute__((ext_vector_type(2))); const T t[3]", "[3![8,8i]]"),
      (
        "typedef int T __attribute__((ext_vector_type(4))); struct { char c; T t; }",
        "{?=\"c\"\(Self.character)\"t\"![16,16i]}"
      ),
      ("struct { float x __attribute__((vector_size(8))); }", "{?=\"x\"![8,8f]}"),
      ("float __attribute__((vector_size(sizeof(double)))) x", "![8,8f]"),
    ]
    for (declaration, encoding) in rows {
      XCTAssertEqual(
        (try? TypeEncoding(declaration: declaration))?.description, encoding, declaration)
    }
    #if arch(x86_64)
    XCTAssertEqual(
      try MethodSignature(declaration: "__m128d f(__m128, __m128i *)").description,
      "![16,16d]![16,16f]^![16,16q]")
    #elseif arch(arm64)
    XCTAssertEqual(
      try MethodSignature(declaration: "float64x2_t f(uint8x8_t, int32x4_t *)").description,
      "![16,16d]![8,8C]^![16,16i]")
    #endif
  }

  func testAnAttributeSaysThatWideVectorsArePassedInRegisters() throws {
    #if arch(x86_64)
    let rows = [
      ("abi(\"avx\")", "x![32,32d]fx![32,32f]^![32,32f]"),
      ("abi(\"avx512\"), nonnull(1)", "x![32,32d]fx![32,32f]^![32,32f]"),
      ("nonnull(1)", "![32,32d]f![32,32f]^![32,32f]"),
    ]
    for (attribute, encoding) in rows {
      let signature = try MethodSignature(
        declaration: "__attribute__((\(attribute))) __m256d f(float, __m256, __m256 *)")
      XCTAssertEqual(signature.description, encoding)
      let written = try XCTUnwrap(signature.declaration())
      XCTAssertEqual(try MethodSignature(declaration: written), signature, written)
    }
    let wider = try MethodSignature(
      declaration: "__m512 f(__m256, struct { __m512d x; }) __attribute__((abi(\"avx512\")))")
    XCTAssertEqual(wider.description, "x![64,64f]x![32,32f]{?=\"x\"x![64,64d]}")
    XCTAssertEqual(
      try MethodSignature(declaration: XCTUnwrap(wider.declaration(of: "g"))), wider)
    // AVX has no vectors of 64 bytes.
    XCTAssertEqual(
      try MethodSignature(declaration: "__attribute__((abi(\"avx\"))) void f(__m512)").description,
      "v![64,64f]")
    let known = "abi(\"avx512\")"
    #else
    let known = "other processors none"
    expectError(.unsupportedDeclaration, known) {
      _ = try TypeEncoding(declaration: "__attribute__((abi(\"avx\"))) int")
    }
    #endif
    for attribute in ["abi(\"sse\")", "abi(avx)", "abi()", "abi(\"\")", "abi(1)"] {
      expectError(.unsupportedDeclaration, known) {
        _ = try TypeEncoding(declaration: "__attribute__((\(attribute))) int")
      }
    }
    for (attribute, code) in [
      ("abi", ErrorCode.unexpectedCharacter), ("abi(\"avx", .unterminated),
      ("abi(\"avx\", 1)", .unexpectedCharacter),
    ] {
      #if arch(x86_64)
      expectError(code) { _ = try TypeEncoding(declaration: "__attribute__((\(attribute))) int") }
      #endif
    }
  }

  /// The code of `char`, which has no sign on AArch64.
  private static var character: String {
    #if arch(arm64)
    "C"
    #else
    "c"
    #endif
  }

  func testHostileVectorDeclarationsAreRefusedAtTheirAttribute() {
    let rows: [(String, ErrorCode)] = [
      ("float f __attribute__((vector_size(0)))", .noLayout),
      ("float f __attribute__((vector_size(3)))", .noLayout),
      ("float f __attribute__((vector_size(-16)))", .noLayout),
      ("float f __attribute__((vector_size(1ul << 40)))", .noLayout),
      ("float f __attribute__((ext_vector_type(1ul << 62)))", .noLayout),
      ("float f __attribute__((ext_vector_type(0xFFFFFFFFFFFFFFFF)))", .noLayout),
      ("float f __attribute__((ext_vector_type(5)))", .noLayout),
      ("_Bool f __attribute__((vector_size(16)))", .noLayout),
      ("long double f __attribute__((vector_size(16)))", .noLayout),
      ("float *f __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("float f[2] __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("float f(int) __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("_Complex float f __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("_Atomic float f __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("struct { int x; } f __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("struct { int x; } __attribute__((vector_size(16)))", .unsupportedDeclaration),
      ("__attribute__((vector_size(16))) struct { int x; } f", .unsupportedDeclaration),
      ("struct { int x : 3 __attribute__((vector_size(16))); }", .unsupportedDeclaration),
      ("enum { a __attribute__((vector_size(16))) }", .unsupportedDeclaration),
      ("float f __attribute__((vector_size(16), vector_size(16)))", .unsupportedDeclaration),
      (
        "typedef float T __attribute__((vector_size(16))); T f __attribute__((vector_size(64)))",
        .unsupportedDeclaration
      ),
      ("float f __attribute__((neon_vector_type(4)))", .unsupportedDeclaration),
      ("float f __attribute__((vector_size))", .unexpectedCharacter),
      ("float f __attribute__((vector_size(16", .unexpectedEnd),
    ]
    for (declaration, code) in rows {
      XCTAssertThrowsError(try TypeEncoding(declaration: declaration), declaration) { error in
        XCTAssertEqual((error as? TypeEncodingError)?.code, code, "\(declaration): \(error)")
        XCTAssertNotNil((error as? TypeEncodingError)?.offset, declaration)
      }
    }
  }

  func testVectorsAreWrittenAsTypedefs() throws {
    let text =
      "typedef float float4 __attribute__((vector_size(16))); "
      + "typedef int int3 __attribute__((ext_vector_type(3))); "
      + "struct pair { float4 a; int3 b; }; "
      + "typedef unsigned char uchar8 __attribute__((vector_size(8))); "
      + "float4 f(struct pair, const float4 *, uchar8)"
    let signature = try MethodSignature(declaration: text)
    XCTAssertEqual(signature.declaration(of: "f"), text)
    XCTAssertEqual(
      signature.description, "![16,16f]{pair=\"a\"![16,16f]\"b\"![12,16i]}r^![16,16f]![8,8C]")
  }

  func testSwiftsVectorsHaveEncodings() throws {
    struct Pair { var a: SIMD2<Float>, b: SIMD4<Int16> }
    let rows: [(Any.Type, String)] = unsafe [
      (SIMD2<Float>.self, "![8,8f]"), (SIMD3<Float>.self, "![12,16f]"),
      (SIMD4<Float>.self, "![16,16f]"), (SIMD2<Double>.self, "![16,16d]"),
      (SIMD16<UInt8>.self, "![16,16C]"), (SIMD8<Int16>.self, "![16,16s]"),
      (SIMD2<Int>.self, "![16,16q]"), (SIMD8<Float>.self, "![32,32f]"),
      (SIMD64<Int8>.self, "![64,64c]"), (UnsafePointer<SIMD64<Int16>>.self, "r^v"),
      (UnsafePointer<SIMD4<Float>>.self, "r^![16,16f]"),
      (Pair.self, "{Pair=![8,8f]![8,8s]}"), ((SIMD4<Float>, Float).self, "{?=![16,16f]f}"),
    ]
    for (type, encoding) in rows {
      XCTAssertEqual(try TypeEncoding(of: type).description, encoding.withLocalVectors, "\(type)")
    }
  }

  func testVectorsAreCompatibleIfTheyHaveTheSameElements() throws {
    for (left, right, isCompatible) in [
      ("![16,16f]", "![16,16f]", true), ("![16,16f]", "![12,16f]", false),
      ("![16,16f]", "![16,16i]", false), ("![16,16f]", "[4f]", false), ("![8,8i]", "![8,8l]", true),
      ("![16,16f]", "D", false), ("^![16,16f]", "^v", true), ("{P=^![16,16f]}", "{P=^}", true),
      ("^![16,16f]", "^f", false),
    ] {
      let (left, right) = (try TypeEncoding(parsing: left), try TypeEncoding(parsing: right))
      XCTAssertEqual(left.isCompatible(with: right), isCompatible, "\(left) \(right)")
      XCTAssertEqual(right.isCompatible(with: left), isCompatible, "\(right) \(left)")
    }
  }
}
