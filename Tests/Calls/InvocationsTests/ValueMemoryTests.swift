import Invocations
import TypeEncodings
import XCTest

/// Values described at run time in memory that belongs to no call.
final class ValueMemoryTests: XCTestCase {
  private func memory(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    // SAFETY: the memory has so many bytes.
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xAA, count: byteCount)
    addTeardownBlock { unsafe memory.deallocate() }
    return unsafe memory
  }

  func testWhatIsStoredIsRead() throws {
    for (text, value) in [
      ("c", -5), ("C", 200), ("s", -300), ("q", .integer(Int128(Int64.min))), ("B", true),
      ("f", .float(0.5)), ("d", .double(0.1)), ("D", .longDouble(0.25)),
      ("T", .unsignedInteger(.max)), ("jd", .complex(real: 1, imaginary: -2)),
      ("^v", .pointer(0x1000)), ("[3s]", .array([1, 2, 3])),
      ("![8,8s]", .array([1, -2, 3, -4])),
      ("![12,16f]", .array([.float(1), .float(-2), .float(3)])),
      ("{P=d{Q=cb8I3b11I5}}", .structure([.double(2), .structure([7, 3, 9])])),
      ("(U=iq)", .bytes([1, 2, 3, 4, 5, 6, 7, 8])),
    ] as [(String, CValue)] {
      let encoding = try TypeEncoding(parsing: text)
      let size = try encoding.layout().size
      let memory = unsafe memory(size + 1)
      // SAFETY: the memory has the type's size and alignment.
      XCTAssertNil(unsafe try value.store(at: memory, as: encoding), text)
      XCTAssertEqual(unsafe try CValue(at: memory, as: encoding), value, text)
      XCTAssertEqual(unsafe memory.load(fromByteOffset: size, as: UInt8.self), 0xAA, text)
    }
  }

  func testWhatMemoryPointsToLivesAsLongAsWhatStoringReturns() throws {
    let encoding = try TypeEncoding(parsing: "*")
    let memory = unsafe memory(8)
    // SAFETY: a pointer fits, and the text is kept while it is read.
    let owner = unsafe try CValue.cString("Ada").store(at: memory, as: encoding)
    XCTAssertNotNil(owner)
    XCTAssertEqual(unsafe try CValue(at: memory, as: encoding), "Ada")
    withExtendedLifetime(owner) {}
  }

  func testAValueThatDoesNotFitLeavesTheMemoryAsItWas() throws {
    let memory = unsafe memory(16)
    for (text, value, code) in [
      ("c", 300, .valueOutOfRange), ("i", "text", .typeMismatch),
      ("{P=ii}", .structure([1]), .typeMismatch), ("![8,8i]", .array([1]), .typeMismatch),
      ("![8,8i]", .array([1, .integer(1 << 40)]), .valueOutOfRange), ("![8,8i]", 1, .typeMismatch),
      ("{P=sc}", .structure([1, 999]), .valueOutOfRange),
    ] as [(String, CValue, ErrorCode)] {
      let encoding = try TypeEncoding(parsing: text)
      XCTAssertThrowsError(unsafe try value.store(at: memory, as: encoding)) { error in
        XCTAssertEqual((error as? InvocationError)?.code, code, text)
        XCTAssertFalse("\(error)".contains("result"), "\(error)")
      }
      XCTAssertEqual(unsafe memory.load(as: UInt64.self), 0xAAAA_AAAA_AAAA_AAAA, text)
    }
  }

  func testATypeWithoutASizeIsRefused() throws {
    let memory = unsafe memory(16)
    for text in ["v", "{Opaque}", "?"] {
      let encoding = try TypeEncoding(parsing: text)
      XCTAssertThrowsError(unsafe try CValue(at: memory, as: encoding), text) { error in
        XCTAssertTrue(error is InvocationError, text)
      }
    }
  }

  func testACStringIsReadWhereThereIsOne() throws {
    // SAFETY: the text lives while it is read.
    unsafe "Zoë".withCString { text in
      XCTAssertEqual(CValue.cString(atAddress: UInt(bitPattern: text)), "Zoë")
    }
    let bytes: [UInt8] = [0xFF, 0x41, 0]
    unsafe bytes.withUnsafeBytes { bytes in
      XCTAssertEqual(
        CValue.cString(atAddress: UInt(bitPattern: bytes.baseAddress)), .bytes([0xFF, 0x41]))
    }
    for address: UInt in [0, 1, 0xFFFF_FFFF_FFFF_FFF0] {
      XCTAssertNil(CValue.cString(atAddress: address))
    }
  }

  func testAnInvocationTakesASignatureThatIsAValue() throws {
    let signature = try MethodSignature(parsing: "i^vQ*id")
    let invocation = try Invocation(signature: signature, fixedArgumentCount: 3)
    for (index, value) in ([.pointer(0), 0, "%d %g", 7, .double(0.5)] as [CValue]).enumerated() {
      try invocation.setArgumentValue(index, value)
    }
    // SAFETY: this is how snprintf is called with an integer and a number.
    try invocation.invoke(
      on: unsafe CFunction(symbol: "snprintf", signature: signature, fixedArgumentCount: 3))
    XCTAssertEqual(try invocation.resultValue(), .integer(5))
  }
}
