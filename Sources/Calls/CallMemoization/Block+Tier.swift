package import BlockABI
internal import BlockHooks
package import Invocations
package import TypeEncodings

/// How a hook memoizes a block with a tier.
package struct TieredMemo: Sendable {
  package let limits: MemoLimits
  package let clock: any Clock<Duration>
  package let name: String
  package let priority: Int
  package let cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)?
  package let onError: @Sendable (any Error) -> Void

  package init(
    limits: MemoLimits, clock: any Clock<Duration>, name: String, priority: Int,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)?,
    onError: @escaping @Sendable (any Error) -> Void
  ) {
    self.limits = limits
    self.clock = clock
    self.name = name
    self.priority = priority
    self.cost = cost
    self.onError = onError
  }
}

extension Block {
  /// The signature by which calls of the block are memoized.
  ///
  /// - Throws: As `callInterface`.
  package var memoizedSignature: MethodSignature {
    get throws(MemoizationError) {
      do { return try (dispatchedBlock ?? self).callInterface.signature } catch {
        throw MemoizationError(passing: error)
      }
    }
  }

  /// Stores the block's results by its arguments, in memory and in a tier.
  ///
  /// - Throws: As `memoize(limits:clock:name:priority:resultPointersAreStable:_:cost:onError:)`.
  package func memoize(
    in tier: any MemoTier, _ memo: TieredMemo
  ) throws(MemoizationError) -> MemoizingHook {
    let subject = try memoSubject(memo.limits, false)
    try subject.requireTellingArguments()
    guard let keys = WordKeys(subject) else {
      return try memoize(subject, EncodedKeys(subject: subject), tier, memo)
    }
    return try memoize(subject, keys, tier, memo)
  }

  /// Stores the block's results by keys that the caller makes, in memory and in a tier.
  ///
  /// - Throws: As `memoize(limits:clock:name:priority:resultPointersAreStable:_:cost:onError:)`.
  package func memoize<Key: Hashable & Sendable>(
    in tier: any MemoTier, _ memo: TieredMemo, coding: MemoKeyCoding<Key>,
    key: @escaping @Sendable (_ call: inout CallFrame) throws -> Key
  ) throws(MemoizationError) -> MemoizingHook {
    try memoize(memoSubject(memo.limits, false), CodedKeys(make: key, coding: coding), tier, memo)
  }

  private func memoize(
    _ subject: MemoSubject, _ keys: some MemoKeys, _ tier: any MemoTier, _ memo: TieredMemo
  ) throws(MemoizationError) -> MemoizingHook {
    try install(
      Memo(
        subject, keys, memo.limits, ClockReading(memo.clock), cost: memo.cost, tier: tier),
      memo.name, memo.priority, memo.onError)
  }
}
