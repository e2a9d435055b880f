internal import BlockHooks
internal import Invocations

/// The operations of a memo on its results, independent of the type of keys.
protocol MemoContents: Sendable {
  var statistics: MemoStatistics { get }
  var limits: MemoLimits { get nonmutating set }
  func remove(arguments: [CValue], of receiver: AnyObject?) throws(InvocationError) -> Bool
  func remove(key: AnyHashable) -> Bool
  func removeAll()
  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int
}

/// The results of a memoizing hook, and its handler.
typealias MadeMemo = (contents: any MemoContents, handler: HookDefinition.Handler)

/// A memoizing hook's handler and the results that it stores.
final class MemoHandler<Keys: MemoKeys>: Sendable {
  private let subject: MemoSubject
  let keys: Keys
  private let cost: MemoSettings.Cost?
  private let sharesMisses: Bool
  let store: MemoStore<Keys, MemoValue>

  /// The tier that is asked for results which are not in the store.
  let tier: (any MemoTier)?

  init(_ subject: MemoSubject, _ keys: Keys, _ settings: MemoSettings) throws(MemoizationError) {
    tier = try settings.tier?(subject.signature)
    self.subject = subject
    self.keys = keys
    cost = settings.cost
    sharesMisses = settings.sharesMisses || subject.answersLater
    store = MemoStore(
      keys, settings.limits, ClockReading(settings.clock), pressure: settings.pressure)
    // Memory is attached before it has results, so that each removal from the tier reaches them.
    tier?.attach(self)
  }

  /// The results, with a handler that the compiler specialises for the type of keys: then a hit
  /// takes a tenth of the instructions.
  @inline(__always)
  var made: MadeMemo { (self, { call in try self.run(&call) }) }

  /// Answers a call with its stored result, or runs the inner hooks and stores their result.
  ///
  /// - Throws: The error of the caller's key, or of the call.
  private func run(_ call: inout CallFrame) throws {
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
    switch store.find(key, word: { $0.word }) {
    case .word(let word): if !call.setResultWord(word) { try call.proceed() }
    case .value(let value): try call.setResultValue(subject.value(value.result))
    case .missing(let ticket): try runMissing(&call, key, ticket)
    }
  }

  /// Answers a call that has no result in memory from another call, or from the tier, or by the
  /// inner hooks.
  private func runMissing(_ call: inout CallFrame, _ key: Keys.Key, _ ticket: UInt64) throws {
    guard sharesMisses else {
      _ = try answer(&call, key, ticket)
      return
    }
    if let value = try store.share(key, { ticket in try answer(&call, key, ticket) }) {
      try call.setResultValue(subject.value(value.result))
    }
  }

  private func answer(
    _ call: inout CallFrame, _ key: Keys.Key, _ ticket: UInt64
  ) throws -> MemoValue? {
    guard let tier else { return try runAndKeep(&call, key, ticket) }
    return try run(&call, key, ticket, behind: tier)
  }

  /// Runs the inner hooks, and stores their result if it can be read, unless it was removed since a
  /// ticket was taken.
  ///
  /// - Returns: The result; nil if there is none, or if the tier or the receiver's end prevents
  ///   storing it.
  func runAndKeep(
    _ call: inout CallFrame, _ key: Keys.Key, _ ticket: UInt64, _ place: MemoPlace? = nil
  ) throws -> MemoValue? {
    // The inner hooks may change the arguments.
    let arguments = keys.keepsArguments || cost != nil ? try ownArguments(call) : []
    let group = try group(of: call)
    guard try call.proceedForResult() else { return nil }
    // The result ages from here, however long its cost takes.
    let (now, time) = (store.now, place?.tier.time ?? 0)
    guard let group, let result = try sharedResult(of: &call) else { return nil }
    let cost = cost.map { $0(arguments, subject.value(result)) } ?? 1
    let value = MemoValue(result: result, arguments: keys.keepsArguments ? arguments : [])
    let isCurrent = store.keep(key, value, cost: cost, at: now, since: ticket, in: group)
    if isCurrent, let place {
      place.tier.keep(
        place.key, subject.value(result), cost: max(cost, 0), at: time,
        since: place.ticket)
    }
    return value
  }

  /// The group of a call's result: that of its receiver, if the key has the receiver; nil if the
  /// receiver is dying.
  private func group(of call: borrowing CallFrame) throws(InvocationError) -> UInt? {
    guard subject.hasReceiver, !Keys.isCallers else { return 0 }
    // SAFETY: the slot belongs to the call in progress.
    return unsafe try call.memory.argumentSlot(0).object.flatMap { store.group(of: $0) }
  }

  /// The result of a call in the form in which it is stored; an answer that is awaited is replaced
  /// by an answer that all callers can await.
  private func sharedResult(of call: inout CallFrame) throws -> MemoResult? {
    let result = result(of: call)
    guard subject.answersLater, case .value(.object(let object)) = result,
      let answer = object as? any AwaitedAnswer
    else { return result }
    let shared = CValue.object(answer.shared())
    try call.setResultValue(shared)
    return .value(shared)
  }

  /// The result of a call in the form in which it is stored; nil if it cannot be read.
  func result(of call: borrowing CallFrame) -> MemoResult? {
    if let word = call.resultWord { return .word(word) }
    return (try? call.resultValue()).map { .value($0) }
  }

  /// The declared arguments of a call.
  ///
  /// If the caller makes the keys, nothing says that text among them ends with a zero: it is given
  /// as a pointer.
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

extension MemoHandler: MemoContents {
  var statistics: MemoStatistics { store.statistics }

  var limits: MemoLimits {
    get { store.limits }
    set { store.limits = newValue }
  }

  func remove(arguments: [CValue], of receiver: AnyObject?) throws(InvocationError) -> Bool {
    if subject.hasReceiver, !Keys.isCallers, receiver == nil {
      throw InvocationError(
        .argumentCount, "results of a method belong to its receivers; give one by `of:`")
    }
    guard let key = try keys.key(of: arguments, receiver) else { return false }
    guard tier != nil else { return store.remove(key) }
    // The arguments get the signature's types, whatever types the caller's values have.
    return remove(key, try subject.values(of: arguments))
  }

  func remove(key: AnyHashable) -> Bool { keys.key(made: key).map { remove($0, []) } ?? false }

  /// Removes a result, first from the tier, so that no look-up finds it there after the removal
  /// here.
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
