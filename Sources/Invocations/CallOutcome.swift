// SAFETY, for the whole file: the outcome holds one reference to the keeper, given back by
// `takeKeeper`.

/// Whether a call has a result, and what is kept until it ends.
@unsafe
@usableFromInline
struct CallOutcome {
  /// Bit 0 tells that there is a result, bit 1 that there is a keeper: a plain call ends with one
  /// comparison.
  @usableFromInline var bits: UInt8 = 0
  private var address: UnsafeMutableRawPointer?

  init() {}

  /// Whether there is a result and nothing is kept.
  var isPlain: Bool { unsafe bits == 1 }

  /// Whether the result has been set, by a handler or by the original.
  @inlinable var hasResult: Bool { unsafe bits & 1 != 0 }

  @inlinable
  mutating func setHasResult() { unsafe bits |= 1 }

  /// Forgets that there is a result.
  mutating func clearResult() { unsafe bits &= ~1 }

  /// What the values of the call point to and nobody else keeps.
  var keeper: FrameKeeper? {
    // The assembly leaves the address as it is.
    guard unsafe bits & 2 != 0 else { return nil }
    return unsafe address.map { unsafe Unmanaged<FrameKeeper>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The keeper, made if there is none.
  mutating func makeKeeper() -> FrameKeeper {
    if let keeper = unsafe keeper { return keeper }
    let made = FrameKeeper()
    unsafe bits |= 2
    unsafe address = unsafe Unmanaged.passRetained(made).toOpaque()
    return made
  }

  /// Gives up the keeper.
  mutating func takeKeeper() -> FrameKeeper? {
    guard unsafe bits & 2 != 0 else { return nil }
    unsafe bits &= 1
    return unsafe address.map { unsafe Unmanaged<FrameKeeper>.fromOpaque($0).takeRetainedValue() }
  }
}

/// What the values of a call point to and nobody else keeps.
final class FrameKeeper {
  var arguments = KeptValues()
  var result = KeptValues()

  /// What a method threw; it counts while there is no result.
  var error: (any Error)?
}
