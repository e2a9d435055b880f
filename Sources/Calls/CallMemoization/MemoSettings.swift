package import BlockHooks
package import Invocations
package import TypeEncodings

/// How calls are memoized, whatever their keys are.
package struct MemoSettings: Sendable {
  package typealias Cost = @Sendable (_ arguments: [CValue], _ result: CValue) -> Int

  /// The hook, whose handler is made when it is installed.
  let definition: HookDefinition

  let limits: MemoLimits
  let clock: any Clock<Duration>
  let pressure: MemoryPressure?
  let sharesMisses: Bool
  let pointersAreStable: Bool
  let cost: Cost?

  /// Makes the tier that is asked for results which are not in memory, for calls of a signature;
  /// nil for no tier.
  let tier: (@Sendable (MethodSignature) throws(MemoizationError) -> any MemoTier)?

  package init(
    _ definition: HookDefinition, limits: MemoLimits, clock: any Clock<Duration>,
    pressure: MemoryPressure? = nil, sharesMisses: Bool, pointersAreStable: Bool = false,
    cost: Cost?,
    tier: (@Sendable (MethodSignature) throws(MemoizationError) -> any MemoTier)? = nil
  ) {
    self.definition = definition
    self.limits = limits
    self.clock = clock
    self.pressure = pressure
    self.sharesMisses = sharesMisses
    self.pointersAreStable = pointersAreStable
    self.cost = cost
    self.tier = tier
  }
}

extension HandleDefinition<Memo> {
  /// A hook that stores results by keys that the caller makes, which are coded for a tier, or by
  /// the arguments if `Key` is `Never`.
  package static func memoizing<Key: Hashable & Sendable>(
    _ settings: MemoSettings, coding: MemoKeyCoding<Key>?,
    key: (@Sendable (_ call: inout CallFrame) throws -> Key)?
  ) -> HandleDefinition {
    memoizing(settings) { subject throws(MemoizationError) in
      if let key {
        return try MemoHandler(subject, CallerKeys(make: key, coding: coding), settings).made
      }
      guard Key.self == Never.self else {
        throw MemoizationError(.notMemoizable, "the key is nil; leave it out")
      }
      try subject.requireTellingArguments()
      guard let keys = WordKeys(subject) else {
        return try MemoHandler(subject, EncodedKeys(subject: subject), settings).made
      }
      return try MemoHandler(subject, keys, settings).made
    }
  }

  private static func memoizing(
    _ settings: MemoSettings,
    _ make: @escaping @Sendable (MemoSubject) throws(MemoizationError) -> MadeMemo
  ) -> HandleDefinition {
    HandleDefinition {
      let memo = Memo()
      var definition = settings.definition
      definition.refusalOfEveryBlock = {
        HookError(
          .notMemoizable,
          "blocks of one code have captures of their own, on which their results depend; memoize "
            + "each block")
      }
      definition.refusalOfEveryMessage = {
        HookError(
          .notMemoizable,
          "a memo answers for the results of one method; memoize each by its `target(_:)`")
      }
      definition.prepare = { definition, point throws(HookError) in
        try point.requireFixedArguments()
        do throws(MemoizationError) {
          try settings.limits.validate()
          let subject = MemoSubject(point.interface)
          // A tier refuses pointers itself.
          try subject.requireKeepableResult(
            pointersAreStable: settings.pointersAreStable || settings.tier != nil)
          let made = try make(subject)
          // A block's results are released with it at the latest: only its hook and the handle
          // retain them.
          if point.block != nil { definition.positions.insert(.death) }
          definition.handler = made.handler
          memo.begin(made.contents)
        } catch {
          throw HookError(passing: error)
        }
      }
      return (definition, memo)
    }
  }
}
