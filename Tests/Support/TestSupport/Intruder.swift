/// A value that runs a test's closure when it is hashed, compared, described or deinitialised.
///
/// While the closure runs, intruders run nothing. They must be used by one thread at a time.
public final class Intruder: Hashable, Comparable, CustomStringConvertible, @unchecked Sendable {
  /// The operation of an intruder that runs the closure.
  public enum Occasion: CaseIterable, Sendable {
    case hash, equality, order, text, end
  }

  private struct State {
    /// The closure that intruders run.
    var body: ((Occasion) -> Void)?
    var isActing = false
    var occasions: Set<Occasion> = []
    var alive = 0
  }

  // SAFETY: a test uses intruders on one thread at a time.
  nonisolated(unsafe) private static var state = State()

  // SAFETY: as for `state`.
  /// The operations in which an intruder has run the closure.
  public static var occasions: Set<Occasion> { unsafe state.occasions }

  // SAFETY: as for `state`.
  /// How many intruders are alive.
  public static var alive: Int { unsafe state.alive }

  /// The intruder's number; intruders of the same number are equal.
  public let number: Int

  private let hash: Int

  /// Creates an intruder whose hash is its number.
  public convenience init(_ number: Int) { self.init(number, hash: number) }

  /// Creates an intruder with a number and a hash.
  public init(_ number: Int, hash: Int) {
    // SAFETY: as for `state`.
    self.number = number
    self.hash = hash
    unsafe Self.state.alive += 1
  }

  deinit {
    // SAFETY: as for `state`.
    unsafe Self.state.alive -= 1
    Self.act(.end)
  }

  /// Makes intruders run a closure while another one runs.
  public static func acting(_ body: @escaping (Occasion) -> Void, while other: () -> Void) {
    // SAFETY: as for `state`.
    unsafe Self.state.occasions = []
    unsafe Self.state.body = body
    other()
    unsafe Self.state.body = nil
  }

  private static func act(_ occasion: Occasion) {
    // SAFETY: as for `state`.
    guard let body = unsafe Self.state.body, unsafe !state.isActing else { return }
    unsafe state.isActing = true
    defer { unsafe state.isActing = false }
    unsafe state.occasions.insert(occasion)
    body(occasion)
  }

  /// Whether two intruders have the same number.
  public static func == (first: Intruder, second: Intruder) -> Bool {
    act(.equality)
    return first.number == second.number
  }

  /// Whether the first has the lower number.
  public static func < (first: Intruder, second: Intruder) -> Bool {
    act(.order)
    return first.number < second.number
  }

  /// Adds the intruder's hash to a hasher.
  public func hash(into hasher: inout Hasher) {
    Self.act(.hash)
    hasher.combine(hash)
  }

  /// The word `intruder` and the number.
  public var description: String {
    Self.act(.text)
    return "intruder \(number)"
  }
}
