/// The beginning of every `KeptOutcome`, whatever its types.
@unsafe
@frozen
@usableFromInline
struct KeptHead {
  @usableFromInline let receiver: ObjectIdentifier

  /// The identity of the answer's type.
  @usableFromInline let type: UInt

  /// The thread's value for the call outside of this one.
  @usableFromInline var outer = unsafe KeptAnswer()

  @inlinable
  @inline(__always)
  init(_ receiver: ObjectIdentifier, _ type: UInt) {
    unsafe (self.receiver, self.type) = (receiver, type)
  }
}

/// The answer or the error of a called method's body.
@unsafe
@frozen
@usableFromInline
struct KeptOutcome<Outcome, Failure: Error> {
  @usableFromInline var head: KeptHead
  @usableFromInline var answer: Outcome?

  // SAFETY: the address is that of a `KeptError`, with a reference of its own until `end()`.
  @usableFromInline var error: UnsafeMutableRawPointer?

  /// Creates the outcome of a call whose body has not run.
  @inlinable
  @inline(__always)
  init(_ receiver: AnyObject) {
    unsafe head = unsafe KeptHead(ObjectIdentifier(receiver), Self.type)
    unsafe answer = nil
    unsafe error = nil
  }

  /// Whether the method can throw, which the compiler knows.
  @inlinable
  @inline(__always)
  static var canThrow: Bool { Failure.self != Never.self }

  /// The identity of the answer's type, by which places of one layout are known.
  @inlinable
  @inline(__always)
  static var type: UInt {
    // SAFETY: a metatype is the address of the type's metadata.
    unsafe unsafeBitCast(Outcome.self as Any.Type, to: UInt.self)
  }

  /// Keeps an answer in place of what was kept before.
  @inlinable
  @inline(__always)
  mutating func keep(_ answer: Outcome) {
    unsafe self.answer = .some(answer)
    unsafe end()
  }

  /// Keeps an error in place of what was kept before.
  @inlinable
  mutating func keep(_ error: Failure) {
    unsafe answer = nil
    unsafe end()
    unsafe self.error = unsafe KeptError.retained(error)
  }

  /// Releases the error.
  @inlinable
  @inline(__always)
  mutating func end() {
    guard unsafe Self.canThrow, let kept = unsafe error else { return }
    unsafe KeptError.release(kept)
    unsafe error = nil
  }

  /// The body's answer or error; nil if the body did not run, or if its error is not one that the
  /// method throws.
  @inlinable
  func result(_ mayThrow: (() -> Bool)?) throws(Failure) -> Outcome? {
    if let answer = unsafe answer { return answer }
    guard unsafe Self.canThrow, let error = unsafe error, mayThrow?() != false,
      let own = unsafe KeptError.error(error) as? Failure
    else { return nil }
    throw own
  }
}

/// An error of a body, as an object.
@usableFromInline
final class KeptError {
  private let error: any Error

  private init(_ error: any Error) { self.error = error }

  // SAFETY: each address that `retained(_:)` returns is released once, and not used afterwards.

  @usableFromInline
  static func retained(_ error: any Error) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passRetained(KeptError(error)).toOpaque()
  }

  @usableFromInline
  static func release(_ address: UnsafeMutableRawPointer) {
    unsafe Unmanaged<KeptError>.fromOpaque(address).release()
  }

  @usableFromInline
  static func error(_ address: UnsafeMutableRawPointer) -> any Error {
    unsafe Unmanaged<KeptError>.fromOpaque(address).takeUnretainedValue().error
  }
}
