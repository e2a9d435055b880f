package import Invocations

/// A second store of results behind the memory of memoizing hooks, such as a database.
///
/// All functions are called on the threads of calls and removals, without a lock held. None throws,
/// because the failure of a tier is a miss. Keys are bytes that mean the same in every process.
package protocol MemoTier: Sendable {
  /// The key of a call with the given declared arguments; nil if it has no meaning outside of the
  /// process.
  func code(arguments: [CValue]) -> [UInt8]?

  /// Looks up the result of a key.
  func find(_ key: [UInt8]) -> (answer: MemoAnswer?, ticket: MemoTicket)

  /// The ticket of a look-up whose result is not used.
  func ticket(of key: [UInt8]) -> MemoTicket

  /// The time by which results in the tier age.
  var time: Int64 { get }

  /// Stores the result of a call that returned at a time, unless the key was removed since it was
  /// looked up; an earlier result does not stay in any case.
  func keep(
    _ key: [UInt8], _ result: CValue, cost: Int, at time: Int64, since ticket: MemoTicket)

  /// Removes the results of some keys.
  ///
  /// - Returns: How many of the keys had a result.
  func remove(_ keys: [[UInt8]]) -> Int

  /// Removes all results that hooks of this sort share.
  func removeAll()

  /// Calls a closure with each stored call.
  func forEach(_ body: ([UInt8], MemoizedCall) throws -> Void) rethrows

  /// Makes the tier notify the memory in front of it of removals that do not come from there.
  func attach(_ memory: any MemoMemory)
}

/// A look-up's position among the removals, by which a tier tells later ones.
package struct MemoTicket: Sendable {
  /// The number of this process's removals.
  package let own: UInt64

  /// The number of the removals of all processes.
  package let all: Int64

  /// Whether there was a result, in whose place another is to be stored.
  package let isFound: Bool

  package init(own: UInt64, all: Int64, isFound: Bool) {
    self.own = own
    self.all = all
    self.isFound = isFound
  }
}

/// A result that a tier has stored.
package struct MemoAnswer {
  package let result: CValue
  package let cost: Int

  /// The time since the call returned that computed the result, in nanoseconds.
  package let age: UInt64

  package init(result: CValue, cost: Int, age: UInt64) {
    self.result = result
    self.cost = cost
    self.age = age
  }
}

/// Results in memory, in front of a tier.
package protocol MemoMemory: AnyObject, Sendable {
  /// Removes the result of a key that the caller made.
  func forget(key: AnyHashable)

  /// Removes all results.
  func forgetAll()
}

/// The place in a tier where the result of a call is missing.
struct MemoPlace {
  let tier: any MemoTier
  let key: [UInt8]
  let ticket: MemoTicket
}

extension MemoHandler {
  /// Answers a call that has no result in memory from the tier, or runs the inner hooks and stores
  /// their result in the tier and in memory.
  func run(
    _ call: inout CallFrame, _ key: Keys.Key, _ ticket: UInt64, behind tier: any MemoTier
  ) throws -> MemoValue? {
    let arguments = Keys.isCallers ? [] : try ownArguments(call)
    guard let code = code(key, arguments, for: tier) else {
      return try runAndKeep(&call, key, ticket)
    }
    let finding = tier.find(code)
    guard let answer = finding.answer, !store.isTooOld(answer.age),
      (try? call.setResultValue(answer.result)) != nil, let result = result(of: call)
    else {
      return try runAndKeep(
        &call, key, ticket, MemoPlace(tier: tier, key: code, ticket: finding.ticket))
    }
    store.countAnswer()
    let value = MemoValue(result: result, arguments: keys.keepsArguments ? arguments : [])
    store.keep(key, value, cost: answer.cost, age: answer.age, at: store.now, since: ticket)
    return value
  }

  /// The key of a call in a tier.
  func code(_ key: Keys.Key, _ arguments: [CValue], for tier: any MemoTier) -> [UInt8]? {
    Keys.isCallers ? keys.code(key) : tier.code(arguments: arguments)
  }

  /// Removes the results that a predicate chooses in memory and in a tier.
  ///
  /// The predicate is called once for a result that is in both, and nothing is removed if it
  /// throws.
  func removeAll(
    from tier: any MemoTier, where isChosen: (MemoizedCall) throws -> Bool
  ) rethrows -> Int {
    var seen: Set<[UInt8]> = []
    var chosen: [[UInt8]] = []
    var others = 0
    store.beginRemoval()
    defer { store.endRemoval() }
    let entries = try store.choose { key, value, cost in
      let call = self.call(key, value, cost)
      let code = code(key, call.arguments, for: tier)
      if let code { seen.insert(code) }
      guard try isChosen(call) else { return false }
      if let code { chosen.append(code) }
      return true
    }
    try tier.forEach { code, call in
      guard !seen.contains(code), try isChosen(call) else { return }
      chosen.append(code)
      others += 1
    }
    _ = tier.remove(chosen)
    return others + store.remove(entries)
  }
}

extension MemoHandler: MemoMemory {
  func forget(key: AnyHashable) {
    if let key = keys.key(made: key) { store.remove(key) }
  }

  func forgetAll() { store.removeAll() }
}
