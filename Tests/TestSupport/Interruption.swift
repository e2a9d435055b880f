private import CFixtures
import XCTest

/// Runs a closure, and another on the same thread in the midst of the first one's first call.
///
/// That is behind the instruction by which the call announces what it enters, and before it looks whether
/// that is still to be entered: another thread would have to come in there by chance.
///
/// - Parameters:
///   - body: Makes the call. It has been made before, so that nothing is announced before that.
///   - interruption: What other threads might do at that moment.
/// - Throws: What the closures throw; a skip where the processor is not stepped through instructions.
public func interruptAnnouncement(
  in body: () throws -> Void, by interruption: () throws -> Void
) throws {
  try XCTSkipIf(isSanitized, "sanitizers take thousands of instructions more")
  var results: [Result<Void, any Error>] = []
  let isStepped = withoutActuallyEscaping(body) { body in
    withoutActuallyEscaping(interruption) { interruption in
      var closures = (
        { results.append(Result { try body() }) }, { results.append(Result { try interruption() }) }
      )
      typealias Closures = (() -> Void, () -> Void)
      // SAFETY: the context is the two closures, which live until the call has returned.
      return unsafe withUnsafeMutablePointer(to: &closures) { context in
        unsafe fixture_interrupt_protection(
          { unsafe $0?.assumingMemoryBound(to: Closures.self).pointee.0() },
          { unsafe $0?.assumingMemoryBound(to: Closures.self).pointee.1() }, context)
      }
    }
  }
  try XCTSkipIf(!isStepped, "instructions are stepped through on x86-64 only")
  for result in results { try result.get() }
  XCTAssertEqual(results.count, 2, "nothing was announced")
}
