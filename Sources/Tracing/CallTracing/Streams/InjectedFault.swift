/// A fault that a traced function's calls get: they fail, wait, or both.
package struct InjectedFault: Hashable, Sendable {
  /// Which calls get it.
  package enum Choice: Hashable, Sendable {
    case all
    /// The one with a number, from 1.
    case nth(Int)
    /// The first, and those whose distance from it is a multiple of an interval.
    case every(Int)
    /// A share from 0 to 1, the same calls in each run.
    case share(Double)
  }

  /// The number of `errno` with which they fail; nil if they only wait.
  package var error: Int32?

  /// How long they wait, in nanoseconds.
  package var delay: UInt64

  package var choice: Choice

  /// The name in words, by which the trace records it.
  package var title: String

  /// What the names of all faults begin with.
  package static let prefix = "injected "

  package init(error: Int32?, delay: UInt64, _ choice: Choice, title: String) {
    self.error = error
    self.delay = delay
    self.choice = choice
    self.title = title
  }

  /// Parses what `text` is; nil for other texts.
  package init?(_ text: String) {
    let parts = text.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let error = Int32(parts[0]), let delay = UInt64(parts[1]) else {
      return nil
    }
    switch (parts[2], Int(parts[3]), Double(parts[3])) {
    case ("all", _, _): choice = .all
    case ("nth", let number?, _): choice = .nth(number)
    case ("every", let interval?, _): choice = .every(interval)
    case ("share", _, let share?): choice = .share(share)
    default: return nil
    }
    self.error = error == 0 ? nil : error
    self.delay = delay
    title = String(parts[4])
  }

  /// The fault as a text in one line.
  package var text: String {
    let words =
      switch choice {
      case .all: "all,"
      case .nth(let number): "nth,\(number)"
      case .every(let interval): "every,\(interval)"
      case .share(let share): "share,\(share)"
      }
    return "\(error ?? 0),\(delay),\(words),\(title)"
  }
}
