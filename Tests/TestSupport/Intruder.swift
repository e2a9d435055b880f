/// A value whose hashing, comparing, describing and end do something else: what a test says.
///
/// What it does may meet other intruders; these do nothing then. For tests on one thread at a time.
public final class Intruder: Hashable, Comparable, CustomStringConvertible, @unchecked Sendable {
  /// What runs an intruder's code.
  public enum Occasion: CaseIterable, Sendable {
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
  public static var occasions: Set<Occasion> { unsafe state.occasions }

  /// How many are alive.
  public static var alive: Int { unsafe state.alive }

  /// What tells it apart.
  public let number: Int

  private let hash: Int

  /// Creates an intruder, which others of its number equal.
  public convenience init(_ number: Int) { self.init(number, hash: number) }

  /// Creates an intruder with a number, which others of the number equal, and a hash.
  public init(_ number: Int, hash: Int) {
    self.number = number
    self.hash = hash
    unsafe Self.state.alive += 1
  }

  deinit {
    unsafe Self.state.alive -= 1
    Self.act(.end)
  }

  /// Lets intruders do something while a closure runs.
  public static func acting(_ body: @escaping (Occasion) -> Void, while other: () -> Void) {
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

  /// Whether two have one number.
  public static func == (first: Intruder, second: Intruder) -> Bool {
    act(.equality)
    return first.number == second.number
  }

  /// Whether the first has the lower number.
  public static func < (first: Intruder, second: Intruder) -> Bool {
    act(.order)
    return first.number < second.number
  }

  /// Hashes what it was given.
  public func hash(into hasher: inout Hasher) {
    Self.act(.hash)
    hasher.combine(hash)
  }

  /// Its number.
  public var description: String {
    Self.act(.text)
    return "intruder \(number)"
  }
}
