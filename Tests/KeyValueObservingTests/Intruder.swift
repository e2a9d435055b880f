import KeyValueObserving

/// A value whose hashing, comparing, describing and end do something else: what a test says.
///
/// What it does may meet other intruders; these do nothing then. For tests on one thread at a time.
final class Intruder: Hashable, Comparable, CustomStringConvertible, @unchecked Sendable {
  enum Occasion: CaseIterable {
    case hash, equality, order, text, end
  }

  private struct State {
    /// What intruders do.
    var body: ((Occasion) -> Void)?
    var isActing = false
    var occasions: Set<Occasion> = []
    var alive = 0
  }

  // Intruders are used by one thread at a time.
  nonisolated(unsafe) private static var state = State()

  /// The occasions on which an intruder did something.
  static var occasions: Set<Occasion> { unsafe state.occasions }

  /// How many are alive.
  static var alive: Int { unsafe state.alive }

  let number: Int

  init(_ number: Int) {
    self.number = number
    unsafe Self.state.alive += 1
  }

  deinit {
    unsafe Self.state.alive -= 1
    Self.act(.end)
  }

  /// Lets intruders do something while a closure runs.
  static func acting(_ body: @escaping (Occasion) -> Void, while other: () -> Void) {
    unsafe Self.state.occasions = []
    unsafe Self.state.body = body
    other()
    unsafe Self.state.body = nil
  }

  private static func act(_ occasion: Occasion) {
    guard let body = unsafe Self.state.body, unsafe !state.isActing else { return }
    unsafe state.isActing = true
    defer { unsafe state.isActing = false }
    unsafe state.occasions.insert(occasion)
    body(occasion)
  }

  static func == (first: Intruder, second: Intruder) -> Bool {
    act(.equality)
    return first.number == second.number
  }

  static func < (first: Intruder, second: Intruder) -> Bool {
    act(.order)
    return first.number < second.number
  }

  func hash(into hasher: inout Hasher) {
    Self.act(.hash)
    hasher.combine(number)
  }

  var description: String {
    Self.act(.text)
    return "intruder \(number)"
  }
}

extension ObservingOptions {
  /// All that an observer can ask for.
  static let everything: ObservingOptions = [.initial, .old, .new, .prior, .distinct]
}
