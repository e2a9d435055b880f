import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import XCTest

final class HookValuesTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32, Int32) -> Int32

  func testArgumentsAndResultAreReadAndChanged() throws {
    let add: IntBlock = { $0 + $1 }
    let block = try Block(add)
    try block.hook([.before, .after]) { call in
      switch call.position {
      case .before:
        XCTAssertEqual(try call.argument(1, as: Int32.self), 3)
        try call.setArgument(1, 30)
      default:
        XCTAssertEqual(try call.result(as: Int32.self), 34)
        try call.setResult(call.result(as: Int.self) * 2)
      }
    }
    XCTAssertEqual(add(3, 4), 68)
  }

  func testAGlobalBlockInAProtectedPageIsHookedAndRestored() throws {
    let pointer = unsafe try XCTUnwrap(fixture_global_adder())
    let block = unsafe Block(unsafePointer: pointer)
    let invoke = unsafe block.invokeAddress
    let hook = try block.hook { call in try call.setResult(-1) }
    XCTAssertEqual(unsafe fixture_call_int_int(pointer, 3, 4), -1)
    unsafe XCTAssertNotEqual(unsafe block.invokeAddress, unsafe invoke)
    XCTAssertEqual(block.encoding, "i16@?0i8i12")
    XCTAssertEqual(block.size, 32)
    hook.remove()
    XCTAssertEqual(unsafe fixture_call_int_int(pointer, 3, 4), 7)
    unsafe XCTAssertEqual(unsafe block.invokeAddress, unsafe invoke)
  }

  func testAHookedHeapBlockKeepsItsSignatureAndSize() throws {
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let name = block.implementation?.mangledName
    try block.hook { call in try call.proceed() }
    XCTAssertEqual(block.encoding, "i12@?0i8")
    XCTAssertEqual(block.size, 36)
    XCTAssertEqual(block.implementation?.mangledName, name)
    XCTAssertTrue(block.flags.contains(.hasCopyDispose))
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 6)
  }

  func testALargeStructureIsChangedOnTheWayInAndOut() throws {
    let pointer = unsafe try XCTUnwrap(fixture_large_block())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    try block.hook([.before, .after]) { call in
      if call.position == .before {
        var value: fixture_large = try call.argument(1)
        value.b = 200
        try call.setArgument(1, value)
        XCTAssertEqual(try call.argument(2, as: Int.self), 10)
      } else {
        var value: fixture_large = try call.result()
        XCTAssertEqual([value.a, value.b, value.g], [11, 200, 17])
        value.c = 300
        try call.setResult(value)
      }
    }
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    let result = unsafe fixture_call_large(pointer, value, 10)
    XCTAssertEqual([result.a, result.b, result.c, result.g], [11, 200, 300, 17])
  }

  func testALargeStructureIsStillThereAfterTheCall() throws {
    let pointer = unsafe try XCTUnwrap(fixture_large_block())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let hook = try block.hook([.instead, .after]) { call in
      if call.position == .instead {
        try call.proceed()
        try call.proceed()
      }
      let value: fixture_large = try call.argument(1)
      XCTAssertEqual([value.a, value.d, value.g], [1, 4, 7])
    }
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    XCTAssertEqual(unsafe fixture_call_large(pointer, value, 10).g, 17)
    hook.remove()

    let invocation = try Invocation(block)
    try invocation.setArgument(1, value)
    try invocation.setArgument(2, 10)
    for _ in 0..<3 {
      try invocation.invoke()
      XCTAssertEqual(try invocation.result(as: fixture_large.self).g, 17)
    }
  }

  func testAResultCannotBeSetBeforeTheOriginal() throws {
    let codes = Recorder<ErrorCode?>()
    let add: IntBlock = { $0 + $1 }
    try Block(add).hook(.before) { call in
      do { try call.setResult(9) } catch { codes.record((error as? InvocationError)?.code) }
    }
    XCTAssertEqual(add(1, 2), 3)
    XCTAssertEqual(codes.entries, [.noResult])
  }

  func testAHookDescribesItself() throws {
    let add: IntBlock = { $0 + $1 }
    let hook = try Block(add).hook([.before, .death], name: "log", priority: 2) { _ in }
    XCTAssertEqual("\(hook)", "<hook log before death, priority 2, installed>")
    hook.remove()
    XCTAssertEqual("\(hook)", "<hook log before death, priority 2, removed>")
  }

  func testTextArgumentsAreChanged() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_greeter()))
    let hook = try block.hook { call in
      let text: String = try call.argument(1)
      try call.setArgument(1, text.uppercased())
      try call.proceed()
      try call.setResult(call.result(as: String.self) + "!")
    }
    defer { hook.remove() }
    XCTAssertEqual(try block.call("hello") as String, "HELLO!")
  }

  func testMistakesInAHandlerAreErrorsThatNameThem() throws {
    let codes = Recorder<ErrorCode?>()
    let add: IntBlock = { $0 + $1 }
    let record: @Sendable (() throws -> Void) -> Void = { body in
      do { try body() } catch { codes.record((error as? InvocationError)?.code) }
    }
    try Block(add).hook { call in
      do { _ = try call.argument(3, as: Int32.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { _ = try call.argument(-1, as: Int32.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { _ = try call.argument(1, as: Double.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { try call.setArgument(1, "text") } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { try call.setArgument(1, Int.max) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { _ = try call.result(as: Int32.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { _ = try call.argument(0, as: IntBlock.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
      do { try call.setResult(2.5) } catch { codes.record((error as? InvocationError)?.code) }
      try call.proceed()
    }
    record {}
    XCTAssertEqual(add(1, 2), 3)
    XCTAssertEqual(
      codes.entries,
      [
        .argumentIndex, .argumentIndex, .typeMismatch, .typeMismatch, .valueOutOfRange, .noResult,
        .typeMismatch, .typeMismatch,
      ])
  }

  func testOnlyAnInsteadHandlerCanProceed() throws {
    let codes = Recorder<ErrorCode?>()
    let add: IntBlock = { $0 + $1 }
    try Block(add).hook([.before, .after]) { call in
      do { try call.proceed() } catch { codes.record((error as? InvocationError)?.code) }
    }
    XCTAssertEqual(add(1, 2), 3)
    XCTAssertEqual(codes.entries, [.cannotProceed, .cannotProceed])
  }

  func testTheBlockItselfIsArgumentZero() throws {
    let add: IntBlock = { $0 + $1 }
    let block = try Block(add)
    try block.hook(.before) { call in XCTAssertEqual(try call.argument(0, as: Block.self), block) }
    XCTAssertEqual(add(1, 2), 3)
    // The handler captures its own block; only removal ends that cycle.
    for hook in block.hooks { hook.remove() }
  }

  func testAVoidBlockHasNoResult() throws {
    let codes = Recorder<ErrorCode?>()
    let original: @convention(block) () -> Void = {}
    try Block(original).hook(.after) { call in
      do { try call.setResult(1) } catch { codes.record((error as? InvocationError)?.code) }
      do { _ = try call.result(as: Int.self) } catch {
        codes.record((error as? InvocationError)?.code)
      }
    }
    original()
    XCTAssertEqual(codes.entries, [.noResult, .noResult])
  }

  func testAnObjectResultSurvivesHooksThatReturnOthers() throws {
    let tracker = LifetimeTracker()
    do {
      let make: @convention(block) () -> AnyObject = { tracker.track() }
      let other: @convention(block) () -> AnyObject = { LifetimeTracker() }
      let otherBlock = try Block(other)
      try Block(make).hook(.after) { _ in try otherBlock.call() }
      for _ in 0..<10 {
        XCTAssertTrue(make() is LifetimeTracker.Tracked)
        XCTAssertLessThanOrEqual(tracker.alive, 1)
      }
      try otherBlock.call()
    }
    tracker.expectNothingAlive()
  }

  func testWhatCannotBeHookedIsRefused() throws {
    unsafe fixture_with_stack_block(nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      expectError(.stackBlock) {
        unsafe try Block(unsafePointer: pointer).hook { _ in }
      }
      XCTAssertEqual(unsafe fixture_call_int(pointer, 5), 15)
    }
    let bare = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    expectError(.noSignature) { try bare.hook { _ in } }
    let vector = unsafe try XCTUnwrap(fixture_vector_block())
    defer { unsafe fixture_release(vector) }
    expectError(.invalidSignature) {
      unsafe try Block(unsafePointer: vector).hook { _ in }
    }
    let add: IntBlock = { $0 + $1 }
    expectError(.noPosition) { try Block(add).hook([]) { _ in } }
    expectError(.noPosition) {
      try Block(add).hook(HookPositions(rawValue: 128)) { _ in }
    }
    XCTAssertEqual(add(1, 2), 3)
  }

  func testAGivenSignatureMakesABlockHookable() throws {
    let pointer = unsafe try XCTUnwrap(fixture_block_without_signature())
    let block = unsafe try Block(unsafePointer: pointer).assuming(signature: "i@?i")
    let hook = try block.hook(.before) { call in try call.setArgument(1, 50) }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 5), 100)
    let other = unsafe try Block(unsafePointer: pointer).assuming(signature: "q@?q")
    expectError(.signatureConflict) { try other.hook { _ in } }
    hook.remove()
    let second = try other.hook(.before) { call in try call.setArgument(1, 7) }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 5), 14)
    second.remove()
    XCTAssertEqual(unsafe fixture_call_int(pointer, 5), 10)
  }
}
