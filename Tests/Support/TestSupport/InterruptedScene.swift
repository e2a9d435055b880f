import CFixtures
import Glibc
import XCTest

/// A call that a signal interrupts at each of its instructions, and whose handler makes the same
/// call; and what was wrong.
public final class InterruptedScene {
  // SAFETY: each context is the scene of its child.

  private let call: (Int) -> Int
  private let sum: Int

  /// What else was wrong, when all is over.
  private let mistakes: () -> Int

  private var wrong = 0

  /// Describes a call that returns its argument plus a number.
  public init(
    adding sum: Int, mistakes: @escaping () -> Int = { 0 }, _ call: @escaping (Int) -> Int
  ) {
    self.sum = sum
    self.mistakes = mistakes
    self.call = call
  }

  private func make(_ argument: Int) { if call(argument) != argument + sum { wrong += 1 } }

  /// - Returns: How much was wrong.
  public func run(handlerHasStack: Bool) -> Int {
    // What is made at the first call may not be interrupted.
    for number in 0..<100 { make(number) }
    let steps = unsafe fixture_interrupt_everywhere(
      { unsafe InterruptedScene.of($0).make(7) }, { unsafe InterruptedScene.of($0).make(100) },
      Unmanaged.passUnretained(self).toOpaque(), handlerHasStack)
    return wrong + steps.unfound + mistakes() + (steps.count == 0 ? 1 : 0)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> InterruptedScene {
    unsafe Unmanaged<InterruptedScene>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  /// Runs a scene in children, with the handler on both stacks.
  public static func expectNothingWrong(
    _ name: String, file: StaticString = #filePath, line: UInt = #line,
    _ make: @escaping () throws -> InterruptedScene
  ) throws {
    #if !arch(x86_64)
    throw XCTSkip("instructions are stepped through on x86-64 only")
    #endif
    try XCTSkipIf(isSanitized, "sanitizers take thousands of instructions more")
    for handlerHasStack in [false, true] {
      final class Child {
        let body: () -> Int32
        init(_ body: @escaping () -> Int32) { self.body = body }
      }
      let child = Child {
        Int32(clamping: (try? make())?.run(handlerHasStack: handlerHasStack) ?? -1) & 127
      }
      let status = unsafe fixture_fork(
        { context in
          alarm(60)
          return unsafe Unmanaged<Child>.fromOpaque(context.unsafelyUnwrapped)
            .takeUnretainedValue().body()
        }, Unmanaged.passUnretained(child).toOpaque())
      XCTAssertEqual(
        status, 0, "\(name), \(handlerHasStack ? "the handler has a stack" : "one stack")",
        file: file, line: line)
    }
  }
}
