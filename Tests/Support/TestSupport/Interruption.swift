private import CFixtures
import XCTest

/// Runs a closure, and another on the same thread during the first one's first call.
///
/// The second closure runs after the instruction by which the call protects its receiver, and
/// before the call checks that the receiver is still current. Another thread would run at that
/// moment only by chance.
///
/// - Parameters:
///   - body: Makes the call. The test must have made the call before, so that nothing else is
///     protected first.
///   - interruption: Does what other threads might do at that moment.
/// - Throws: The closures' errors; a skip if the processor cannot be stepped through instructions.
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
      // SAFETY: the context is the tuple of both closures, which lives until the call has returned.
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
