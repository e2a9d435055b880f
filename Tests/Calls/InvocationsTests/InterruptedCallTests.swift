import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: code is called as it was made.

/// Calls that a signal interrupts at each of their instructions, and whose handler makes the same
/// call.
final class InterruptedCallTests: XCTestCase {
  private typealias Narrow = @convention(block) (Int) -> Int
  private typealias Wide = @convention(block) (Int, Int, Int, Int, Double) -> Int
  private typealias Five = @convention(block) (Int) -> fixture_five

  func testHookedBlocksOfEachEntry() throws {
    for positions in [.before, .after, .instead, [.before, .after]] as [HookPositions] {
      func hook(_ block: Block) throws {
        try block.hook(positions) { call in if call.position == .instead { try call.proceed() } }
      }
      try InterruptedScene.expectNothingWrong("narrow, \(positions)") {
        let block: Narrow = { $0 + 1 }
        try hook(Block(block))
        return InterruptedScene(adding: 1) { block($0) }
      }
      try InterruptedScene.expectNothingWrong("wide, \(positions)") {
        let block: Wide = { $0 + $1 + $2 + $3 + Int($4) }
        try hook(Block(block))
        return InterruptedScene(adding: 14) { block($0, 2, 3, 4, 5) }
      }
      try InterruptedScene.expectNothingWrong("through memory, \(positions)") {
        let block: Five = { fixture_five(words: ($0, 2, 3, 4, 5)) }
        try hook(Block(block))
        return InterruptedScene(adding: 5) { argument in
          let words = block(argument).words
          return words.0 + words.4
        }
      }
    }
    try InterruptedScene.expectNothingWrong("replaced") {
      let block: Narrow = { $0 }
      let other: Narrow = { $0 + 3 }
      try Block(block).replace(with: other)
      return InterruptedScene(adding: 3) { block($0) }
    }
  }

  func testHookedBlocksWithoutAFrame() throws {
    for positions in [.before, .after, [.before, .after]] as [HookPositions] {
      try InterruptedScene.expectNothingWrong("\(positions)") {
        let block: Narrow = { $0 + 1 }
        try Block(block).unframed.hook(positions) { _ in }
        return InterruptedScene(adding: 1) { block($0) }
      }
    }
  }

  func testFunctionPointersOfEachEntry() throws {
    typealias Function = @convention(c) (Int) -> Int
    typealias WideFunction = @convention(c) (Int, Int, Int, Int, Double) -> Int
    try InterruptedScene.expectNothingWrong("narrow") {
      let pointer = try FunctionPointer(signature: "qq") { call in
        try call.setResult(call.argument(0, as: Int.self) + 1)
      }
      let function = try pointer.value(as: Function.self)
      return InterruptedScene(adding: 1) { argument in
        withExtendedLifetime(pointer) { function(argument) }
      }
    }
    try InterruptedScene.expectNothingWrong("wide") {
      let pointer = try FunctionPointer(signature: "qqqqqd") { call in
        try call.setResult(call.argument(0, as: Int.self) + call.argument(3, as: Int.self))
      }
      let function = try pointer.value(as: WideFunction.self)
      return InterruptedScene(adding: 4) { argument in
        withExtendedLifetime(pointer) { function(argument, 2, 3, 4, 5) }
      }
    }
    try InterruptedScene.expectNothingWrong("a block's") {
      let block: Narrow = { $0 + 2 }
      let pointer = try FunctionPointer(calling: Block(block))
      let function = try pointer.value(as: Function.self)
      return InterruptedScene(adding: 2) { argument in
        withExtendedLifetime(pointer) { function(argument) }
      }
    }
  }

  /// Calls without a signature that begin and end once each.
  ///
  /// It counts without atomic operations: some are loops that a call of the handler repeats.
  @safe
  private final class Observer: OpaqueCallObserver {
    // SAFETY: allocated once, never freed, and used by one thread. A call of the handler ends before
    // the interrupted one goes on, so that both may take the same number.
    nonisolated(unsafe) private let states = UnsafeMutablePointer<UInt8>.allocate(
      capacity: capacity)
    nonisolated(unsafe) private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    nonisolated(unsafe) private let mistakes = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    private static let capacity = 1 << 18

    init() {
      unsafe states.initialize(repeating: 0, count: Self.capacity)
      unsafe count.initialize(to: 0)
      unsafe mistakes.initialize(to: 0)
    }

    func begin() -> OpaqueCall {
      let number = unsafe count.pointee
      unsafe count.pointee = number + 1
      unsafe states[number] = 1
      return OpaqueCall((UInt64(number), 0, 0))
    }

    func end(_ call: OpaqueCall) {
      if unsafe states[Int(call.words.0)] != 1 || fixture_use_x87() != 8 {
        unsafe mistakes.pointee += 1
      }
      unsafe states[Int(call.words.0)] = 2
    }

    func abandon(_ call: OpaqueCall) { unsafe mistakes.pointee += 1 }

    var mistakeCount: Int {
      unsafe mistakes.pointee + (0..<count.pointee).count { unsafe states[$0] != 2 }
    }
  }

  func testCallsWithoutASignature() throws {
    typealias Function = @convention(c) (Int) -> Int
    try InterruptedScene.expectNothingWrong("an integer") {
      let observer = Observer()
      let original: Function = { $0 + 1 }
      let code = unsafe try OpaqueCode(
        original: unsafeBitCast(original, to: UnsafeRawPointer.self), observer)
      let function = unsafe unsafeBitCast(code.address, to: Function.self)
      return InterruptedScene(adding: 1, mistakes: { observer.mistakeCount }) { argument in
        withExtendedLifetime(code) { function(argument) }
      }
    }
    try InterruptedScene.expectNothingWrong("a result in an x87 register") {
      let observer = Observer()
      let code = unsafe try OpaqueCode(original: fixture_doubled_code(), observer)
      return InterruptedScene(adding: 0, mistakes: { observer.mistakeCount }) { argument in
        let doubled = unsafe fixture_call_doubled(code.address, argument)
        return Int(doubled) - argument
      }
    }
  }

  /// What a chain of calls without a signature does innermost.
  nonisolated(unsafe) private static var innermost: (() -> Void)?
  nonisolated(unsafe) private static var chained: (@convention(c) (Int) -> Int)?

  func testCallsWithoutASignatureWhereTheThreadHasRoomForNoMore() throws {
    typealias Function = @convention(c) (Int) -> Int
    for depth in [63, 64] {
      try InterruptedScene.expectNothingWrong("\(depth) under way") {
        let observer = Observer()
        let original: Function = { depth in
          if depth == 1 { unsafe InterruptedCallTests.innermost?() }
          return depth > 1 ? unsafe (InterruptedCallTests.chained?(depth - 1) ?? 0) + 1 : 1
        }
        let code = unsafe try OpaqueCode(
          original: unsafeBitCast(original, to: UnsafeRawPointer.self), observer)
        unsafe Self.chained = unsafe unsafeBitCast(code.address, to: Function.self)
        return InterruptedScene(
          adding: 0,
          mistakes: {
            var wrong = 0
            let inner = InterruptedScene(adding: 1) { unsafe (Self.chained?(0) ?? 0) + $0 }
            unsafe Self.innermost = {
              wrong += inner.run(handlerHasStack: false) + inner.run(handlerHasStack: true)
            }
            if unsafe Self.chained?(depth) != depth { wrong += 1 }
            unsafe Self.innermost = nil
            return withExtendedLifetime(code) { wrong + observer.mistakeCount }
          }
        ) { $0 }
      }
    }
  }
}
