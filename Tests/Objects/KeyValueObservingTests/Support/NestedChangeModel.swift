import KeyValueObserving
import TestSupport

/// A leaf to which a model's root links.
final class ModelLeaf: KeyValueObservable {
  @Observed var number = 0
}

/// An object whose values are observed as properties, paths and computed properties.
final class ModelRoot: KeyValueObservable {
  @Observed var number = 0
  @Observed var link: ModelLeaf?
  @Observed var items: [Int] = []

  var sum: Int { number + (link?.number ?? 0) }
}

/// What is observed.
enum ModelValue: CaseIterable {
  case number, linked, sum, items, count
}

/// A change of one property.
enum ModelStep {
  case setNumber(Int), addToNumber(Int), setNumberManually(Int)
  case link(Int?), setLeaf(Int, Int), append(Int), insert(Int)
  case setNumberSilently(Int), linkSilently(Int?)
  case suspend(Int), resume(Int, tellingLast: Bool)
}

/// Observers, each with the changes that it makes in its calls, and changes from outside.
struct ModelProgram {
  struct Observer {
    let value: ModelValue
    let isPrior: Bool
    let isInOrder: Bool
    /// What it does in its first calls; nil removes it.
    var script: [ModelStep?]
  }

  static let leaves = 2
  var observers: [Observer] = []
  var steps: [ModelStep] = []

  /// - Parameters:
  ///   - seed: The seed of the random program.
  ///   - inOrder: Whether some observers, or all, are called in the order of the changes.
  ///   - isPausing: Whether observers are suspended and resumed, and changes are silent.
  init(seed: UInt64, inOrder: Bool = false, isPausing: Bool = false) {
    var random = SeededGenerator(seed: seed)
    let areAllInOrder = inOrder && Bool.random(using: &random)
    var number = 0
    // Calls before a manual change are part of it: what they set is not told.
    let hasPrior = Bool.random(using: &random)
    let count = Int.random(in: 2...6, using: &random)
    func pause() -> ModelStep {
      let observer = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: return .suspend(observer)
      case 3...4: return .resume(observer, tellingLast: Bool.random(using: &random))
      case 5: return .setNumberSilently(number)
      case 6: return .linkSilently(Int.random(in: 0..<Self.leaves, using: &random))
      default: return .insert(number)
      }
    }
    func step() -> ModelStep {
      number += 1
      if isPausing, Int.random(in: 0..<3, using: &random) == 0 { return pause() }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: return .setNumber(number)
      case 1: return .addToNumber(number)
      case 2: return hasPrior ? .setNumber(number) : .setNumberManually(number)
      case 3: return .link(nil)
      case 4: return .link(Int.random(in: 0..<Self.leaves, using: &random))
      case 5, 6: return .setLeaf(Int.random(in: 0..<Self.leaves, using: &random), number)
      default: return .append(number)
      }
    }
    for _ in 0..<count {
      let value = ModelValue.allCases[Int.random(in: 0..<ModelValue.allCases.count, using: &random)]
      let script = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0..<12, using: &random) == 0 ? nil : step()
      }
      observers.append(
        Observer(
          value: value, isPrior: hasPrior && Bool.random(using: &random),
          isInOrder: areAllInOrder || inOrder && Bool.random(using: &random), script: script))
    }
    steps = (0..<(isPausing ? 10 : 6)).map { _ in step() }
  }
}

/// Runs a program with the library, and logs each call of an observer.
final class ObservedRun {
  private let root = ModelRoot()
  private let leaves = (0..<ModelProgram.leaves).map { _ in ModelLeaf() }
  private var scripts: [[ModelStep?]]
  private var tokens: [KeyValueObservation] = []
  private(set) var log: [String] = []

  init(_ program: ModelProgram) {
    scripts = program.observers.map(\.script)
    for (index, observer) in program.observers.enumerated() {
      var options: ObservingOptions = observer.isPrior ? [.prior, .old, .new] : [.old, .new]
      if observer.isInOrder { options.insert(.inOrder) }
      tokens.append(observe(observer.value, options, index))
    }
    for step in program.steps {
      log.append("\(step)")
      perform(step)
    }
  }

  private func observe(
    _ value: ModelValue, _ options: ObservingOptions, _ index: Int
  ) -> KeyValueObservation {
    switch value {
    case .number: root.observe(\.number, options: options) { self.note(index, $1) }
    case .linked: root.observe(\.link?.number, options: options) { self.note(index, $1) }
    case .sum: root.observe(\.sum, options: options) { self.note(index, $1) }
    case .items: root.observe(\.items, options: options) { self.note(index, $1) }
    case .count: root.observe(\.items.count, options: options) { self.note(index, $1) }
    }
  }

  private func note<Value>(_ index: Int, _ change: Change<Value>) {
    func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
    let values = change.isPrior ? text(change.old) : "\(text(change.old))>\(text(change.new))"
    log.append("\(index)\(change.isPrior ? " will" : ""): \(values)")
    guard !scripts[index].isEmpty else { return }
    if let step = scripts[index].removeFirst() { perform(step) } else { tokens[index].remove() }
  }

  private func perform(_ step: ModelStep) {
    switch step {
    case .setNumber(let number): root.number = number
    case .addToNumber(let number): root.number += number
    case .setNumberManually(let number):
      root.withChange(of: \.number) {
        root.number = -1
        root.number = number
      }
    case .link(let leaf): root.link = leaf.map { leaves[$0] }
    case .setLeaf(let leaf, let number): leaves[leaf].number = number
    case .append(let number): root.items.append(number)
    case .insert(let number): root.$items.append(number)
    case .setNumberSilently(let number): root.withoutNotifying(\.number) { root.number = number }
    case .linkSilently(let leaf):
      root.withoutNotifying(\.link) { root.link = leaf.map { leaves[$0] } }
    case .suspend(let index): tokens[index].suspend()
    case .resume(let index, let isTold): tokens[index].resume(tellingLast: isTold)
    }
  }
}

/// What a run is to log, by the rules alone.
///
/// A change is told to those that it concerns, in the order in which they came to the property,
/// with the values before and after it; one that an observer makes in its call is told to all
/// before the call returns; to those that are called in order, when all have been told of the change
/// that was made first. One that is suspended misses its calls, but hears both of a change, or
/// neither; when it is resumed, one call tells of what it has missed.
final class ExpectedRun {
  private enum Property: Hashable {
    case number, link, items, leaf(Int)
  }

  /// The calls of an observer before and after a change.
  private struct Calls {
    /// The number of the change.
    let change: Int
    let old: String
    var new = ""
    /// Whether the change has only the members that it inserts.
    var isInsertion = false
  }

  private struct Entry {
    let observer: Int
    let identity: Int
  }

  private var number = 0
  private var link: Int?
  private var leaves = Array(repeating: 0, count: ModelProgram.leaves)
  private var items: [Int] = []

  private let observers: [ModelProgram.Observer]
  private var scripts: [[ModelStep?]]
  private var isRemoved: [Bool]
  private var isSuspended: [Bool]
  /// The changes of whose beginnings observers were not told, because they were suspended.
  private var leftOut: [Set<Int>]
  /// What an observer has missed since it was suspended.
  private struct Missed {
    /// The old values of the calls, in their order, and the values before insertions.
    var olds: [String] = []
    var hasCalls = false
    /// The values before insertions whose calls are to wait, by the numbers of the changes.
    var wholes: [Int: String] = [:]
  }

  private var missed: [Missed]
  /// The number of times that each observer was suspended.
  private var suspensions: [Int]
  private var entries: [Property: [Entry]] = [:]
  private var identities = 0
  private var changes = 0
  /// The numbers of the changes that are being told, from the outermost to the innermost.
  private var told: [Int] = []
  /// The calls that wait, and what an observer has missed that would have waited.
  private var waiting: [(change: Int, missed: LeftOut?, call: () -> Void)] = []

  private struct LeftOut {
    let observer: Int
    let suspension: Int
    let old: String
  }

  private(set) var log: [String] = []

  init(_ program: ModelProgram) {
    observers = program.observers
    scripts = program.observers.map(\.script)
    isRemoved = program.observers.map { _ in false }
    isSuspended = isRemoved
    leftOut = isRemoved.map { _ in [] }
    missed = isRemoved.map { _ in Missed() }
    suspensions = isRemoved.map { _ in 0 }
    for observer in observers.indices { follow(observer) }
    for step in program.steps {
      log.append("\(step)")
      perform(step)
    }
  }

  /// What an observer's value is made of, in the order in which it is read.
  private func properties(_ observer: Int) -> [Property] {
    let leaf = link.map { [Property.leaf($0)] } ?? []
    return switch observers[observer].value {
    case .number: [.number]
    case .linked: [.link] + leaf
    case .sum: [.number, .link] + leaf
    case .items, .count: [.items]
    }
  }

  private func text(_ observer: Int) -> String {
    switch observers[observer].value {
    case .number: "\(number)"
    case .linked: link.map { "\(leaves[$0])" } ?? "nil"
    case .sum: "\(number + (link.map { leaves[$0] } ?? 0))"
    case .items: "\(items)"
    case .count: "\(items.count)"
    }
  }

  private func follow(_ observer: Int) {
    let properties = isRemoved[observer] ? [] : properties(observer)
    for property in entries.keys where !properties.contains(property) {
      entries[property]?.removeAll { $0.observer == observer }
    }
    for property in properties
    where !entries[property, default: []].contains(where: { $0.observer == observer }) {
      identities += 1
      entries[property, default: []].append(Entry(observer: observer, identity: identities))
    }
  }

  private func perform(_ step: ModelStep) {
    switch step {
    case .setNumber(let number), .setNumberManually(let number):
      change(.number) { self.number = number }
    case .addToNumber(let added): change(.number) { number += added }
    case .link(let leaf): change(.link) { link = leaf }
    case .setLeaf(let leaf, let number): change(.leaf(leaf)) { leaves[leaf] = number }
    case .append(let number): change(.items) { items.append(number) }
    case .insert(let number): change(.items, inserting: number) { items.append(number) }
    case .setNumberSilently(let number): changeSilently(.number) { self.number = number }
    case .linkSilently(let leaf): changeSilently(.link) { link = leaf }
    case .suspend(let observer): suspend(observer)
    case .resume(let observer, let isTold): resume(observer, tellingLast: isTold)
    }
  }

  private func changeSilently(_ property: Property, _ body: () -> Void) {
    body()
    for entry in entries[property, default: []] { follow(entry.observer) }
  }

  private func suspend(_ observer: Int) {
    guard !isRemoved[observer], !isSuspended[observer] else { return }
    isSuspended[observer] = true
    missed[observer] = Missed()
    suspensions[observer] += 1
  }

  private func resume(_ observer: Int, tellingLast isTold: Bool) {
    guard !isRemoved[observer], isSuspended[observer] else { return }
    isSuspended[observer] = false
    let waiting = waiting.filter { $0.missed?.observer == observer }
      .filter { $0.missed?.suspension == suspensions[observer] }
    let next = waiting.min { $0.change < $1.change }?.missed?.old
    guard missed[observer].hasCalls || next != nil, isTold,
      let old = missed[observer].olds.first ?? next
    else { return }
    changes += 1
    var calls = Calls(change: changes, old: old)
    calls.new = text(observer)
    if observers[observer].isPrior { leftOut[observer].insert(changes) }
    notification(isInOrder: observers[observer].isInOrder) {
      tell(observer, calls, isPrior: false)
    }
  }

  private func change(_ property: Property, inserting number: Int? = nil, _ body: () -> Void) {
    changes += 1
    let identity = changes
    let count = items.count
    var olds: [Int: Calls] = [:]
    func noteOlds() {
      for entry in entries[property, default: []] where olds[entry.observer] == nil {
        var calls = Calls(change: identity, old: text(entry.observer))
        calls.isInsertion = number != nil && observers[entry.observer].value == .items
        olds[entry.observer] = calls
        // Only what is seen before the prior calls is the value before the change.
        guard calls.isInsertion, isSuspended[entry.observer] else { continue }
        if observers[entry.observer].isInOrder, !told.isEmpty {
          missed[entry.observer].wholes[identity] = calls.old
        } else {
          missed[entry.observer].olds.append(calls.old)
        }
      }
    }
    noteOlds()
    notification(of: property) {
      for entry in entries[property, default: []] where observers[entry.observer].isPrior {
        let isPresent = entries[property, default: []].contains { $0.identity == entry.identity }
        if isPresent, let calls = olds[entry.observer] {
          tell(entry.observer, calls, isPrior: true)
        }
      }
    }
    noteOlds()
    let isAsOutlined = items.count == count
    body()
    notification(of: property) {
      let told = entries[property, default: []].map { ($0.observer, text($0.observer)) }
      for (observer, _) in told { follow(observer) }
      for (observer, new) in told {
        guard var calls = olds[observer] else { continue }
        // If an observer changed the array before, the change is told as a setting.
        if calls.isInsertion, isAsOutlined {
          calls.new = "[\(number ?? 0)]"
        } else {
          calls.new = new
        }
        tell(observer, calls, isPrior: false)
      }
    }
  }

  private func notification(of property: Property, _ body: () -> Void) {
    let isInOrder = entries[property, default: []].contains { observers[$0.observer].isInOrder }
    notification(isInOrder: isInOrder, body)
  }

  private func notification(isInOrder: Bool, _ body: () -> Void) {
    guard isInOrder else { return body() }
    changes += 1
    told.append(changes)
    body()
    while told.count == 1, let first = waiting.map(\.change).min() {
      guard let index = waiting.firstIndex(where: { $0.change == first }) else { return }
      waiting.remove(at: index).call()
    }
    told.removeLast()
  }

  private func tell(_ observer: Int, _ calls: Calls, isPrior: Bool) {
    guard observers[observer].isInOrder, told.count > 1, let change = told.last else {
      return begin(observer, calls, isPrior: isPrior)
    }
    // What is made while it is suspended is missed, also if it is resumed meanwhile.
    guard let old = leaveOut(observer, calls, isPrior: isPrior) else {
      waiting.append((change, nil, { self.begin(observer, calls, isPrior: isPrior) }))
      return
    }
    guard !isPrior else { return }
    let suspension = suspensions[observer]
    waiting.append(
      (
        change, LeftOut(observer: observer, suspension: suspension, old: old),
        {
          if suspension == self.suspensions[observer] { self.miss(observer, old) }
        }
      ))
  }

  /// Calls an observer, unless it is suspended.
  private func begin(_ observer: Int, _ calls: Calls, isPrior: Bool) {
    if let old = leaveOut(observer, calls, isPrior: isPrior) {
      if !isPrior { miss(observer, old) }
      return
    }
    if leftOut[observer].remove(calls.change) != nil { call(observer, calls, isPrior: true) }
    call(observer, calls, isPrior: isPrior)
  }

  private func miss(_ observer: Int, _ old: String) {
    missed[observer].olds.append(old)
    missed[observer].hasCalls = true
  }

  /// Leaves a call out, if the observer is suspended and was not called before the change.
  ///
  /// - Returns: The value before the change; nil if it is not left out.
  private func leaveOut(_ observer: Int, _ calls: Calls, isPrior: Bool) -> String? {
    guard isSuspended[observer] else { return nil }
    if isPrior {
      leftOut[observer].insert(calls.change)
    } else if observers[observer].isPrior, leftOut[observer].remove(calls.change) == nil {
      return nil
    }
    return calls.isInsertion ? missed[observer].wholes[calls.change] ?? "nil" : calls.old
  }

  private func call(_ observer: Int, _ calls: Calls, isPrior: Bool) {
    guard !isRemoved[observer] else { return }
    let old = calls.isInsertion ? "nil" : calls.old
    log.append("\(observer)\(isPrior ? " will: \(old)" : ": \(old)>\(calls.new)")")
    guard !scripts[observer].isEmpty else { return }
    if let step = scripts[observer].removeFirst() {
      perform(step)
    } else {
      isRemoved[observer] = true
      follow(observer)
    }
  }
}
