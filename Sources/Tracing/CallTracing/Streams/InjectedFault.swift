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
    guard parts.count == 5, let error = Int32(parts[0]), let delay = UInt64(parts[1]),
      let number = Double(parts[3])
    else { return nil }
    let whole = Int(exactly: number)
    switch (parts[2], whole) {
    case ("all", _): choice = .all
    case ("nth", let whole?): choice = .nth(whole)
    case ("every", let whole?): choice = .every(whole)
    case ("share", _): choice = .share(number)
    default: return nil
    }
    self.error = error == 0 ? nil : error
    self.delay = delay
    title = String(parts[4])
  }

  /// The fault as a text in one line.
  package var text: String {
    let (kind, number): (String, Double) =
      switch choice {
      case .all: ("all", 0)
      case .nth(let number): ("nth", Double(number))
      case .every(let interval): ("every", Double(interval))
      case .share(let share): ("share", share)
      }
    return "\(error ?? 0),\(delay),\(kind),\(number),\(title)"
  }
}
