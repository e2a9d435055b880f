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
    case .word(let word): if !call.setResultWord(word) { try call.proceed() }
    case .value(let value): try call.setResultValue(value)
    case .missing(let ticket):
      guard let tier else { return try runAndKeep(&call, key, ticket) }
      try run(&call, key, ticket, behind: tier)
    }
  }

  /// Runs the inner hooks, and stores their result if it can be read, unless it was removed since a
  /// ticket was taken.
  func runAndKeep(
    _ call: inout CallFrame, _ key: Keys.Key, _ ticket: UInt64, _ place: MemoPlace? = nil
  ) throws {
    // The inner hooks may change the arguments.
    let arguments = keys.keepsArguments || cost != nil ? try ownArguments(call) : []
    guard try call.proceedForResult() else { return }
    // The result ages from here, however long its cost takes.
    let (now, time) = (store.now, place?.tier.time ?? 0)
    guard let result = result(of: call) else { return }
    let cost = cost.map { $0(arguments, subject.value(result)) } ?? 1
    let isCurrent = store.keep(
      key, MemoValue(result: result, arguments: keys.keepsArguments ? arguments : []), cost: cost,
      at: now, since: ticket)
    if isCurrent, let place {
      place.tier.keep(
        place.key, subject.value(result), cost: max(cost, 0), at: time,
        since: place.ticket)
    }
  }

  /// The result of a call in the form in which it is stored; nil if it cannot be read.
  func result(of call: borrowing CallFrame) -> MemoResult? {
    if let word = call.resultWord { return .word(word) }
    return (try? call.resultValue()).map { .value($0) }
  }

  /// The declared arguments of a call.
  ///
  /// If the caller makes the keys, nothing says that text among them ends with a zero: it is given as
  /// a pointer.
  func ownArguments(_ call: borrowing CallFrame) throws(InvocationError) -> [CValue] {
    // SAFETY: the slots belong to the call in progress.
    let memory = unsafe call.memory
    var arguments: [CValue] = []
    for index in subject.ownIndices {
      arguments.append(
        unsafe try memory.argumentSlot(index).value(readsText: !Keys.isCallers))
    }
    return arguments
  }
}

extension Memo: MemoContents {
  var statistics: MemoStatistics { store.statistics }

  func close() { store.close() }

  func remove(arguments: [CValue]) throws(InvocationError) -> Bool {
    guard let key = try keys.key(of: arguments) else { return false }
    guard tier != nil else { return store.remove(key) }
    // As a call has them, whatever the values' types are here.
    return remove(key, try subject.values(of: arguments))
  }

  func remove(key: AnyHashable) -> Bool { keys.key(made: key).map { remove($0, []) } ?? false }

  /// Removes a result from the tier first: what is found there meanwhile is not stored here after
  /// the removal here.
  private func remove(_ key: Keys.Key, _ arguments: [CValue]) -> Bool {
    let wasInTier = tier.flatMap { tier in
      code(key, arguments, for: tier).map { tier.remove([$0]) > 0 }
    }
    return store.remove(key) || wasInTier ?? false
  }

  func removeAll() {
    tier?.removeAll()
    store.removeAll()
  }

  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    if let tier { return try removeAll(from: tier, where: isChosen) }
    return store.remove(try store.choose { try isChosen(call($0, $1, $2)) })
  }

  /// A stored result as clients see it.
  func call(_ key: Keys.Key, _ value: MemoValue, _ cost: Int) -> MemoizedCall {
    MemoizedCall(
      arguments: value.arguments.isEmpty ? keys.arguments(of: key) : value.arguments,
      key: keys.made(key), result: subject.value(value.result), cost: cost)
  }
}
