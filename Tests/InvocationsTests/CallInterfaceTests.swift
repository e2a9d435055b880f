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
      ("d[", .invalidSignature), ("i{A=b3b5}", .invalidSignature),
      ("iAi", .unsupportedType), ("v{S=[100000000c]}", .unsupportedType),
    ]
    for row in rows + rows {
      XCTAssertThrowsError(try CallInterface.of(row.encoding), row.encoding) { error in
        XCTAssertEqual((error as? InvocationError)?.code, row.code, "\(row.encoding) \(error)")
      }
    }
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
