internal import BlockHooks
internal import Invocations

/// The operations of a memoizing hook's token on the results, independent of the type of keys.
protocol MemoContents: Sendable {
  var statistics: MemoStatistics { get }
  func close()
  func remove(arguments: [CValue]) throws(InvocationError) -> Bool
  func remove(key: AnyHashable) -> Bool
  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int
}

/// A memoizing hook's handler and the results that it stores.
final class Memo<Keys: MemoKeys>: Sendable {
  typealias Cost = @Sendable (_ arguments: [CValue], _ result: CValue) -> Int

  private let subject: MemoSubject
  private let keys: Keys
  private let cost: Cost?
  private let store: MemoStore<Keys>

  init(
    _ subject: MemoSubject, _ keys: Keys, _ limits: MemoLimits, _ clock: ClockReading, cost: Cost?
  ) {
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
    case nil: try runAndKeep(&call, key)
    }
  }

  /// Runs the inner hooks, and stores their result if it can be read.
  private func runAndKeep(_ call: inout CallFrame, _ key: Keys.Key) throws {
    // The inner hooks may change the arguments.
    let arguments = keys.keepsArguments || cost != nil ? try ownArguments(call) : []
    guard try call.proceedForResult() else { return }
    let result: MemoResult
    if let word = call.resultWord {
      result = .word(word)
    } else if let value = try? call.resultValue() {
      result = .value(value)
    } else {
      return
    }
    store.keep(
      key, MemoValue(result: result, arguments: keys.keepsArguments ? arguments : []),
      cost: cost.map { $0(arguments, subject.value(result)) } ?? 1)
  }

  private func ownArguments(_ call: borrowing CallFrame) throws(InvocationError) -> [CValue] {
    var arguments: [CValue] = []
    for index in subject.ownIndices { arguments.append(try call.argumentValue(index)) }
    return arguments
  }
}

extension Memo: MemoContents {
  var statistics: MemoStatistics { store.statistics }

  func close() { store.close() }

  func remove(arguments: [CValue]) throws(InvocationError) -> Bool {
    try keys.key(of: arguments).map { store.remove($0) } ?? false
  }

  func remove(key: AnyHashable) -> Bool {
    guard Keys.self == CallerKeys<Keys.Key>.self, let key = key.base as? Keys.Key else {
      return false
    }
    return store.remove(key)
  }

  func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    let isCallers = Keys.self == CallerKeys<Keys.Key>.self
    return try store.removeAll { key, value, cost in
      try isChosen(
        MemoizedCall(
          arguments: value.arguments.isEmpty ? keys.arguments(of: key) : value.arguments,
          key: isCallers ? AnyHashable(key) : nil, result: subject.value(value.result), cost: cost))
    }
  }
}
