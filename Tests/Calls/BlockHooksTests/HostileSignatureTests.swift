import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

final class HostileSignatureTests: XCTestCase {
  func testMutatedSignaturesAreErrorsOrWorkButNeverCrash() throws {
    let original: @convention(block) () -> Void = {}
    let block = try Block(original)
    var refused = 0
    var accepted = 0
    for signature in MutatedSignatures(count: 3000) {
      do {
        // SAFETY: the block is never called by the signature.
        let hook = unsafe try block.assuming(signature: signature).hook { _ in }
        accepted += 1
        hook.remove()
      } catch let error as BlockError {
        XCTAssertEqual(error.code, .invalidSignature, signature)
        refused += 1
      } catch let error as HookError {
        XCTAssertTrue(
          [.invalidSignature, .unsupportedType].contains(error.code), "\(signature): \(error)")
        refused += 1
      }
      try expectInvocationErrorOrNone(signature) { _ = try Block(signature: signature) { _ in } }
      try expectInvocationErrorOrNone(signature) {
        _ = try FunctionPointer(signature: signature) { _ in }
      }
      try expectInvocationErrorOrNone(signature) {
        let invocation = try Invocation(signature: signature)
        _ = invocation.description
        invocation.retainArguments()
        _ = invocation.copied().description
      }
    }
    XCTAssertGreaterThan(refused, 500)
    XCTAssertGreaterThan(accepted, 100)
    try block.call()
    XCTAssertTrue(block.hooks.isEmpty)
  }

  /// Any error but an `InvocationError` fails the test.
  private func expectInvocationErrorOrNone(_ signature: String, _ body: () throws -> Void) throws {
    do { try body() } catch let error as InvocationError {
      XCTAssertFalse(error.message.isEmpty, signature)
    }
  }
}
