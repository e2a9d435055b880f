import CFixtures
import XCTest

/// The number of objects that a body allocates on the thread.
func numberOfAllocations(of body: @escaping () -> Void) -> Int {
  var body = body
  // SAFETY: the context is the closure, which lives until the call has returned.
  return unsafe withUnsafeMutablePointer(to: &body) { context in
    unsafe Int(
      fixture_allocations(
        { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context))
  }
}

/// The number of instructions of a body; it skips the test where they cannot be counted.
func numberOfInstructions(of body: @escaping () -> Void) throws -> Int {
  var body = body
  // SAFETY: the context is the closure, which lives until the call has returned.
  let count = unsafe withUnsafeMutablePointer(to: &body) { context in
    unsafe fixture_instructions(
      { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
  }
  try XCTSkipIf(count == 0, "instructions are counted on x86-64 only")
  return Int(count)
}
