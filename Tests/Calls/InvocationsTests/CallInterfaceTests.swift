import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Interfaces that are made once and kept.
final class CallInterfaceTests: XCTestCase {
  func testAnEncodingHasOneInterface() throws {
    let first = try CallInterface.of("i@?id")
    XCTAssertTrue(try CallInterface.of("i@?id") === first)
    XCTAssertEqual(first.signature.description, "i@?id")
    XCTAssertEqual(first.argumentCount, 3)
    XCTAssertFalse(try CallInterface.of("i@?di") === first)
    XCTAssertEqual(try CallInterface.of("v").argumentCount, 0)
  }

  func testMoreEncodingsThanSlotsAreFoundOrMadeAgain() throws {
    let encodings = (0..<3000).map { "v{I\($0)=\(String(repeating: "i", count: $0 % 5 + 1))}q" }
    for _ in 0..<2 {
      for encoding in encodings {
        let interface = try CallInterface.of(encoding)
        XCTAssertEqual(interface.signature.description, encoding)
        XCTAssertTrue(try CallInterface.of(encoding) === interface, encoding)
      }
    }
  }

  func testAnEncodingTooLongToBeKeptIsMadeEachTime() throws {
    let long = "v^{" + String(repeating: "L", count: 5000) + "}"
    let first = try CallInterface.of(long)
    XCTAssertEqual(first.argumentCount, 1)
    XCTAssertEqual(try CallInterface.of(long).signature, first.signature)
  }

  func testWhatIsWrongIsSaidEveryTime() {
    let rows: [(encoding: String, code: ErrorCode)] = [
      ("", .invalidSignature), ("{", .invalidSignature), ("iv", .invalidSignature),
      ("d[", .invalidSignature), ("i{A=b20b20b20}", .invalidSignature),
      ("iAi", .unsupportedType), ("v{S=[100000000c]}", .unsupportedType),
    ]
    for row in rows + rows {
      XCTAssertThrowsError(try CallInterface.of(row.encoding), row.encoding) { error in
        XCTAssertEqual((error as? InvocationError)?.code, row.code, "\(row.encoding) \(error)")
      }
    }
  }

  /// clang ignores bit-fields without a name when it chooses registers, and encodings do not tell
  /// them from others.
  func testRecordsWhoseRegistersDependOnTheNamesOfBitFieldsAreNotPassedByValue() throws {
    #if arch(x86_64)
    for record in [
      "{A=fb32i32}", "{A=db64i5}", "{A=qfb96i8b104i8}", "{A={B=fb32i8}i}", "(A=fb0i32)",
      "{A=b0q64b64q5}", "{A=[1{B=fb32i32}]}",
    ] {
      for encoding in ["v" + record, record] {
        expectError(.unsupportedType, "pass a pointer instead") {
          _ = try CallInterface.of(encoding)
        }
      }
    }
    #endif
    for record in [
      "{A=b0i3}", "{B=b0i3b3I20}", "{A=ib32i8}", "{A=qb64i8i}", "{A=fb32i0}", "(A=ib0i8)",
      "{A=qqb128i5}", "{A={B=b0i3}f}", "{A=dib96i3}",
    ] {
      for encoding in ["v" + record, record] {
        XCTAssertNoThrow(try CallInterface.of(encoding), encoding)
      }
    }
    XCTAssertNoThrow(try CallInterface.of("v^{A=fb32i32}"))
  }

  func testADeclarationTellsWhichBitFieldsHaveNames() throws {
    for members in [
      "void *p; unsigned on : 1, off : 1;", "double d; unsigned on : 1, : 31;",
      "float f; unsigned : 32, on : 32;",
    ] {
      for text in ["void f(struct { \(members) } x)", "struct { \(members) } f(void)"] {
        let signature = try MethodSignature(declaration: text)
        XCTAssertNoThrow(try CallInterface.cached(for: signature), text)
      }
    }
  }

  /// On x86-64 bit-fields without a name do not align a record.
  func testRecordsWhosePlacesDependOnTheNamesOfBitFieldsArePassedButNotRead() throws {
    #if arch(x86_64)
    for record in ["{A={B=cb8i8}c}", "{A=[2{B=cb8i8}]}", "{A=[1{B={C=cb8i8}cq}]}"] {
      for encoding in ["v" + record, record] {
        expectError(.invalidSignature, "give its declaration in C") {
          _ = try CallInterface.of(encoding)
        }
      }
    }
    let interface = try CallInterface.of("v{A={B=cb8i8}cq}")
    let memory = unsafe CallMemory.allocate(interface)
    defer { unsafe memory.deallocate() }
    expectError(.unsupportedType, "does not say where c lies") {
      _ = unsafe try memory.argumentSlot(0).value()
    }
    expectError(.unsupportedType, "does not say where c lies") {
      var kept = KeptValues()
      unsafe try memory.argumentSlot(0).store(
        value: .structure([.structure([1, 2]), 3, 4]), keeping: &kept)
    }
    for record in ["{A=cb8i8}", "(A=b0i3b0c4)"] {
      for encoding in ["v" + record, record] {
        XCTAssertNoThrow(try CallInterface.of(encoding), encoding)
      }
    }
    // The place of the last field tells that the first one has no name.
    let isToldByAPlace = "{A={B=cb8i8}cb24i8}"
    #else
    let isToldByAPlace = "{A={B=cb8i8}cb40i8}"
    #endif
    for record in [
      "{A=cb8i24}", isToldByAPlace, "{A=ib32i3}", "(A=b0i3b0I4)", "{A=sb16c3}",
      "{A=d{B=b0i3b3I20b23q40}}",
    ] {
      for encoding in ["v" + record, record] {
        XCTAssertNoThrow(try CallInterface.of(encoding), encoding)
      }
    }
    XCTAssertNoThrow(try CallInterface.of("v^{A=cb8i8}"))
  }

  func testThreadsFindTheInterfacesOfTheirEncodings() {
    let wrong = Recorder<String>()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<2000 {
        let encoding = "v{T\((round * 7 + thread) % 1500)=i}"
        let found = try? CallInterface.of(encoding).signature.description
        if found != encoding { wrong.record("\(encoding) \(found ?? "nothing")") }
      }
    }
    XCTAssertEqual(wrong.entries, [])
  }
}
