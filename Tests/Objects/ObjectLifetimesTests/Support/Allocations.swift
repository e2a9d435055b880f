import CFixtures

/// How many objects a body allocates on the thread, once it has run.
func allocations(of body: @escaping () -> Void) -> Int {
  var repeated = { for _ in 0..<100 { body() } }
  repeated()
  // SAFETY: the context is the closure, which lives until the call has returned.
  let count = unsafe withUnsafeMutablePointer(to: &repeated) { context in
    unsafe Int(
      fixture_allocations(
        { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context))
  }
  return count / 100
}
