/// A method's closure that reads its arguments, as a tuple, and leaves its result in memory.
///
/// Its type is not generic: in code that is not specialised for a method's types, each generic type
/// made of them is looked up at run time.
@safe
@usableFromInline
struct BodyInMemory: Sendable {
  /// The closure.
  ///
  /// ## Safety
  /// The arguments must be in memory of the tuple's type; there must be room for the outcome, which
  /// is uninitialised before.
  @unsafe
  let run:
    @Sendable (
      _ receiver: AnyObject, _ arguments: UnsafeRawPointer, _ outcome: UnsafeMutableRawPointer
    ) throws -> Void

  /// Makes the closure of one that takes and returns values; inlinable, so that it is specialised.
  @inlinable
  init<Arguments, Outcome>(
    _ body: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome
  ) {
    // SAFETY: the caller vouches for the memory.
    unsafe self.init(inMemory: { receiver, arguments, outcome in
      let arguments = unsafe arguments.assumingMemoryBound(to: Arguments.self)
      let result = try body(receiver, unsafe arguments.pointee)
      unsafe outcome.initializeMemory(as: Outcome.self, to: result)
    })
  }

  @usableFromInline
  init(
    inMemory run:
      @escaping @Sendable (
        AnyObject, UnsafeRawPointer, UnsafeMutableRawPointer
      ) throws -> Void
  ) {
    unsafe self.run = unsafe run
  }
}
