import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Functions that are called by signatures which are values.
final class FunctionSignatureTests: XCTestCase {
  func testAFunctionTakesASignatureThatIsAValue() throws {
    for (text, symbol, arguments, expected) in [
      ("ddd", "pow", [2.0, 10.0], 1024.0), ("dd", "sqrt", [81.0], 9.0),
    ] as [(String, String, [CValue], Double)] {
      let signature = try MethodSignature(parsing: text)
      // SAFETY: these are the functions' signatures.
      let function = unsafe try CFunction(
        symbol: symbol, library: "libm.so.6", signature: signature)
      XCTAssertEqual(function.signature, signature)
      XCTAssertEqual(try function.call(values: arguments), .double(expected))
    }
  }

  func testAVariadicFunctionHasASignatureThatIsAValue() throws {
    let signature = try MethodSignature(parsing: "i^vQ*id")
    // SAFETY: this is how snprintf is called with an integer and a number.
    let function = unsafe try CFunction(
      symbol: "snprintf", signature: signature, fixedArgumentCount: 3)
    let length = try function.call(values: [.pointer(0), 0, "%d %g", 7, .double(0.5)])
    XCTAssertEqual(length, .integer(5))
  }

  func testASignatureThatCannotBeCalledIsRefusedBeforeTheFunctionIsLookedFor() throws {
    let signature = try MethodSignature(parsing: "v{Opaque}")
    // SAFETY: no function is found.
    expectError(.invalidSignature) {
      _ = unsafe try CFunction(symbol: "there is none", signature: signature)
    }
  }
}
