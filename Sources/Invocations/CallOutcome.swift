// SAFETY, for the whole file: the outcome holds one reference to the keeper, given back by
// `takeKeeper`.

/// Whether a call has a result, and what is kept until it ends.
@unsafe
@usableFromInline
struct CallOutcome {
  /// Bit 0 tells that there is a result, bit 1 that there is a keeper, bit 2 that levels have decided
  /// something: a plain call ends with one comparison.
  @usableFromInline var bits: UInt8 = 0

  /// What the first levels have decided, two bits each; the assembly leaves it as it is.
  private var decisions: UInt32 = 0
  private static let decisionLimit = 16

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

  /// What a level has decided; nil if nothing yet.
  func decision(of level: Int) -> Bool? {
    guard unsafe level < Self.decisionLimit else { return unsafe keeper?.decisions[level] }
    let pair = unsafe bits & 4 == 0 ? 0 : decisions >> UInt32(2 * level) & 3
    return pair == 0 ? nil : pair == 3
  }

  /// Notes what a level has decided, which had not yet.
  mutating func note(_ decision: Bool, of level: Int) {
    guard unsafe level < Self.decisionLimit else {
      unsafe makeKeeper().decisions[level] = decision
      return
    }
    if unsafe bits & 4 == 0 { unsafe (bits, decisions) = (bits | 4, 0) }
    unsafe decisions |= (decision ? 3 : 1) << UInt32(2 * level)
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

  /// What levels have decided that there are no bits for.
  var decisions: [Int: Bool] = [:]

  /// What ends with the call.
  var untilEnd: [AnyObject] = []
}
