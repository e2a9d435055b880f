internal import BlockHooks
internal import Invocations

/// The operations of a memoizing hook's token on the results, independent of the type of keys.
protocol MemoContents: Sendable {
  var statistics: MemoStatistics { get }
  func close()
  func remove(arguments: [CValue]) throws(InvocationError) -> Bool
  func remove(key: AnyHashable) -> Bool
  func removeAll()
  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int
}

/// A memoizing hook's handler and the results that it stores.
final class Memo<Keys: MemoKeys>: Sendable {
  typealias Cost = @Sendable (_ arguments: [CValue], _ result: CValue) -> Int

  private let subject: MemoSubject
  let keys: Keys
  private let cost: Cost?
  let store: MemoStore<Keys>

  /// What is asked for a result that is not in the store.
  let tier: (any MemoTier)?

  init(
    _ subject: MemoSubject, _ keys: Keys, _ limits: MemoLimits, _ clock: ClockReading, cost: Cost?,
    tier: (any MemoTier)? = nil
  ) {
    self.tier = tier
    self.subject = subject
    self.keys = keys
    self.cost = cost
    store = MemoStore(keys, limits, clock)
  }

  /// Answers a call with its stored result, or runs the inner hooks and stores their result.
  ///
  /// - Throws: The error of the caller's key, or of the call.
  func run(_ call: inout CallFrame) throws {
    guard call.position != .death else { return store.close() }
    let key: Keys.Key?
    do {
      key = try keys.key(of: &call)
    } catch {
      store.countMiss()
      throw error
    }
    guard let key else {
      store.countMiss()
      return try call.proceed()
    }
    switch store.find(key) {
    case .word(let word)?: if !call.setResultWord(word) { try call.proceed() }
    case .value(let value)?: try call.setResultValue(value)
    case nil:
      guard let tier else { return try runAndKeep(&call, key) }
      try run(&call, key, behind: tier)
    }
  }

  /// Runs the inner hooks, and stores their result if it can be read.
  func runAndKeep(_ call: inout CallFrame, _ key: Keys.Key, _ place: MemoPlace? = nil) throws {
    // The inner hooks may change the arguments.
    let arguments = keys.keepsArguments || cost != nil ? try ownArguments(call) : []
    guard try call.proceedForResult(), let result = result(of: call) else { return }
    let cost = cost.map { $0(arguments, subject.value(result)) } ?? 1
    store.keep(
      key, MemoValue(result: result, arguments: keys.keepsArguments ? arguments : []), cost: cost,
      since: place?.removals)
    if let place {
      place.tier.keep(place.key, subject.value(result), cost: max(cost, 0), since: place.ticket)
    }
  }

  /// The result of a call in the form in which it is stored; nil if it cannot be read.
  func result(of call: borrowing CallFrame) -> MemoResult? {
    if let word = call.resultWord { return .word(word) }
    return (try? call.resultValue()).map { .value($0) }
  }

  func ownArguments(_ call: borrowing CallFrame) throws(InvocationError) -> [CValue] {
    var arguments: [CValue] = []
    for index in subject.ownIndices { arguments.append(try call.argumentValue(index)) }
    return arguments
  }
}

extension Memo: MemoContents {
  var statistics: MemoStatistics { store.statistics }

  func close() { store.close() }

  func remove(arguments: [CValue]) throws(InvocationError) -> Bool {
    guard let key = try keys.key(of: arguments) else { return false }
    guard let tier else { return store.remove(key) }
    // As a call has them, whatever the values' types are here.
    let arguments = try subject.values(of: arguments)
    return removing {
      let wasInTier = code(key, arguments, for: tier).map { tier.remove([$0]) > 0 } ?? false
      return store.remove(key) || wasInTier
    }
  }

  func remove(key: AnyHashable) -> Bool {
    guard isCallers, let own = key.base as? Keys.Key else { return false }
    return removing {
      let wasInTier = tier.map { tier in tier.code(key: key).map { tier.remove([$0]) > 0 } ?? false
      }
      return store.remove(own) || wasInTier ?? false
    }
  }

  func removeAll() {
    removing {
      tier?.removeAll()
      _ = store.removeAll { _, _, _ in true }
    }
  }

  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    if let tier { return try removeAll(from: tier, where: isChosen) }
    return try store.removeAll { try isChosen(call($0, $1, $2)) }
  }

  /// Whether the caller makes the keys.
  var isCallers: Bool { Keys.self == CallerKeys<Keys.Key>.self }

  /// A stored result as clients see it.
  func call(_ key: Keys.Key, _ value: MemoValue, _ cost: Int) -> MemoizedCall {
    MemoizedCall(
      arguments: value.arguments.isEmpty ? keys.arguments(of: key) : value.arguments,
      key: isCallers ? AnyHashable(key) : nil, result: subject.value(value.result), cost: cost)
  }
}
