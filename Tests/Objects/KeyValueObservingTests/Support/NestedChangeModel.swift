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
  case link(Int?), setLeaf(Int, Int), append(Int)
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
  init(seed: UInt64, inOrder: Bool = false) {
    var random = SeededGenerator(seed: seed)
    let areAllInOrder = inOrder && Bool.random(using: &random)
    var number = 0
    // Calls before a manual change are part of it: what they set is not told.
    let hasPrior = Bool.random(using: &random)
    func step() -> ModelStep {
      number += 1
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
    for _ in 0..<Int.random(in: 2...6, using: &random) {
      let value = ModelValue.allCases[Int.random(in: 0..<ModelValue.allCases.count, using: &random)]
      let script = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0..<12, using: &random) == 0 ? nil : step()
      }
      observers.append(
        Observer(
          value: value, isPrior: hasPrior && Bool.random(using: &random),
          isInOrder: areAllInOrder || inOrder && Bool.random(using: &random), script: script))
    }
    steps = (0..<6).map { _ in step() }
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
    }
  }
}

/// What a run is to log, by the rules alone.
///
/// A change is told to those that it concerns, in the order in which they came to the property,
/// with the values before and after it; one that an observer makes in its call is told to all
/// before the call returns; to those that are called in order, when all have been told of the change
/// that was made first.
final class ExpectedRun {
  private enum Property: Hashable {
    case number, link, items, leaf(Int)
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
  private var entries: [Property: [Entry]] = [:]
  private var identities = 0
  private var changes = 0
  /// The numbers of the changes that are being told, from the outermost to the innermost.
  private var told: [Int] = []
  private var waiting: [(change: Int, call: () -> Void)] = []
  private(set) var log: [String] = []

  init(_ program: ModelProgram) {
    observers = program.observers
    scripts = program.observers.map(\.script)
    isRemoved = program.observers.map { _ in false }
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
    }
  }

  private func change(_ property: Property, _ body: () -> Void) {
    var olds: [Int: String] = [:]
    func noteOlds() {
      for entry in entries[property, default: []] where olds[entry.observer] == nil {
        olds[entry.observer] = text(entry.observer)
      }
    }
    noteOlds()
    notification(of: property) {
      for entry in entries[property, default: []] where observers[entry.observer].isPrior {
        let isPresent = entries[property, default: []].contains { $0.identity == entry.identity }
        if isPresent { tell(entry.observer, " will: \(olds[entry.observer] ?? "")") }
      }
    }
    noteOlds()
    body()
    notification(of: property) {
      let told = entries[property, default: []].map { ($0.observer, text($0.observer)) }
      for (observer, _) in told { follow(observer) }
      for (observer, new) in told { tell(observer, ": \(olds[observer] ?? "")>\(new)") }
    }
  }

  private func notification(of property: Property, _ body: () -> Void) {
    guard entries[property, default: []].contains(where: { observers[$0.observer].isInOrder })
    else { return body() }
    changes += 1
    told.append(changes)
    body()
    while told.count == 1, let first = waiting.map(\.change).min() {
      guard let index = waiting.firstIndex(where: { $0.change == first }) else { return }
      waiting.remove(at: index).call()
    }
    told.removeLast()
  }

  private func tell(_ observer: Int, _ text: String) {
    guard observers[observer].isInOrder, told.count > 1, let change = told.last else {
      return call(observer, text)
    }
    waiting.append((change, { self.call(observer, text) }))
  }

  private func call(_ observer: Int, _ text: String) {
    guard !isRemoved[observer] else { return }
    log.append("\(observer)\(text)")
    guard !scripts[observer].isEmpty else { return }
    if let step = scripts[observer].removeFirst() {
      perform(step)
    } else {
      isRemoved[observer] = true
      follow(observer)
    }
  }
}
