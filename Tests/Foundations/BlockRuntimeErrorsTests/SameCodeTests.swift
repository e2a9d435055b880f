import BlockABI
import BlockHooks
import BlockRuntimeErrors
import CFixtures
import CallMemoization
import CallRecording
import CallTracing
import Invocations
import TestSupport
import XCTest

/// The same mistake has the same code in whichever product it is found.
final class SameCodeTests: XCTestCase {
  private func expect<Failure: BlockRuntimeError>(
    _ code: ErrorCode, _ type: Failure.Type, line: UInt = #line, _ body: () throws -> Void
  ) {
    let error = expectError(code, line: line, body)
    XCTAssertTrue(error is Failure, "\(Swift.type(of: error))", line: line)
  }

  func testABlockWithoutASignature() throws {
    // SAFETY: the fixture is a global block.
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    let path = "/dev/null"
    expect(.noSignature, BlockError.self) { _ = try block.requireSignature() }
    expect(.noSignature, InvocationError.self) { _ = try Invocation(block) }
    expect(.noSignature, InvocationError.self) { _ = try block.call() as Int32 }
    expect(.noSignature, HookError.self) { try block.hook { _ in } }
    expect(.noSignature, HookError.self) { try block.install(.intercepting { _ in }) }
    expect(.noSignature, HookError.self) {
      try block.install(.tracing(with: Tracer(TraceBuffer())))
    }
    expect(.noSignature, HookError.self) { try block.install(.memoizing()) }
    expect(.noSignature, HookError.self) {
      try block.install(.recording(to: CallRecorder(path: path)))
    }
  }

  func testAMalformedSignature() throws {
    let encoding = "i@?{"
    let identity: @convention(block) (Int32) -> Int32 = { $0 }
    let block = try Block(identity)
    expect(.invalidSignature, BlockError.self) {
      _ = unsafe try block.assuming(signature: encoding)
    }
    expect(.invalidSignature, InvocationError.self) { _ = try Invocation(signature: encoding) }
    expect(.invalidSignature, InvocationError.self) { _ = try Block(signature: encoding) { _ in } }
    expect(.invalidSignature, InvocationError.self) {
      _ = unsafe try CFunction(symbol: "abs", signature: encoding)
    }
  }
}
