/// Whether a call has a result, and the objects that it retains until it ends.
@unsafe
@usableFromInline
struct CallOutcome {
  // SAFETY: if bit 1 is set, `address` is that of a `FrameKeeper` and holds a reference to it,
  // which `takeKeeper` takes over. The assembly does not initialise `decisions` and `address`: they
  // are valid only if bit 2 or bit 1 is set.

  /// Flags: bit 0 says that there is a result, bit 1 that there is a keeper, bit 2 that levels have
  /// made decisions, and bit 3 that the call goes on to the original when handlers have returned.
  ///
  /// So one comparison at the end of a call tells whether the call has a result and nothing else.
  @usableFromInline var bits: UInt8 = 0

  /// The decisions of the outermost levels, two bits each.
  private var decisions: UInt32 = 0
  private static let decisionLimit = 16

  private var address: UnsafeMutableRawPointer?

  init() {}

  /// Whether there is a result, and nothing else.
  var isPlain: Bool { unsafe bits == 1 }

  /// Whether the result has been set, by a handler or by the original.
  @inlinable var hasResult: Bool { unsafe bits & 1 != 0 }

  @inlinable
  mutating func setHasResult() { unsafe bits |= 1 }

  /// Records that there is no result.
  mutating func clearResult() { unsafe bits &= ~1 }

  /// Lets a variadic call go on to the original, as it is, when its handlers have returned.
  mutating func setGoesOn() { unsafe bits |= 8 }

  /// The owner of objects to which the call's values refer; nil if there is none yet.
  var keeper: FrameKeeper? {
    guard unsafe bits & 2 != 0 else { return nil }
    return unsafe address.map { unsafe Unmanaged<FrameKeeper>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The decision of a level; nil if it has not decided yet.
  func decision(of level: Int) -> Bool? {
    guard unsafe level < Self.decisionLimit else { return unsafe keeper?.decisions[level] }
    let pair = unsafe bits & 4 == 0 ? 0 : decisions >> UInt32(2 * level) & 3
    return pair == 0 ? nil : pair == 3
  }

  /// Records the decision of a level, which must not have decided yet.
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
    unsafe adopt(made)
    return made
  }

  /// Takes over a keeper, where there is none.
  mutating func adopt(_ keeper: FrameKeeper) {
    unsafe bits |= 2
    unsafe address = unsafe Unmanaged.passRetained(keeper).toOpaque()
  }

  /// Removes the keeper, and clears everything but whether there is a result.
  mutating func takeKeeper() -> FrameKeeper? {
    guard unsafe bits & 2 != 0 else { return nil }
    unsafe bits &= 1
    return unsafe address.map { unsafe Unmanaged<FrameKeeper>.fromOpaque($0).takeRetainedValue() }
  }
}

/// The owner of objects to which the values of a call refer, until the call ends.
final class FrameKeeper {
  var arguments = KeptValues()
  var result = KeptValues()

  /// The error that a method threw; it is ignored while there is a result.
  var error: (any Error)?

  /// The decisions of levels for which `CallOutcome` has no bits.
  var decisions: [Int: Bool] = [:]

  /// Objects that are released when the call ends.
  var untilEnd: [AnyObject] = []

  /// The variable arguments of a call, once a handler has asked for them.
  var variadic: VariadicCall?

  /// The handlers that run after the original of a call that goes on.
  var afterwards: [(inout CallFrame) -> Void] = []
}
