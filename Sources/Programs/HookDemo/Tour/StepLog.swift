internal import BlockRuntimeThreads
import Synchronization

/// The messages and checks of a step of the tour; hooks write to it from any thread.
final class StepLog: Sendable {
  /// One line of the log.
  enum Line {
    /// A message of a block, a hook or the step itself.
    case said(String)
    /// A check, and whether it holds.
    case checked(String, holds: Bool)
  }

  private let state = Locked<[Line]>([])

  /// The lines so far.
  var lines: [Line] { state.withLock { $0 } }

  /// The messages, without the checks.
  var said: [String] {
    lines.compactMap { line in
      guard case .said(let text) = line else { return nil }
      return text
    }
  }

  /// Whether every check holds.
  var isOK: Bool {
    lines.allSatisfy { line in
      guard case .checked(_, let holds) = line else { return true }
      return holds
    }
  }

  /// Adds a line.
  func say(_ text: String) { state.withLock { $0.append(.said(text)) } }

  /// Adds a check with its result.
  func check(_ text: String, _ holds: Bool) {
    state.withLock { $0.append(.checked(text, holds: holds)) }
  }

  /// Checks that a value is the expected one, and shows both if it is not.
  func check<Value: Equatable>(_ text: String, _ value: Value, is expected: Value) {
    let holds = value == expected
    check(holds ? "\(text) = \(value)" : "\(text) = \(value), not \(expected)", holds)
  }

  /// Checks that there is a value, and that it is the expected one.
  func check<Value: Equatable>(_ text: String, _ value: Value?, is expected: Value) {
    guard let value else {
      check("\(text) is missing, not \(expected)", false)
      return
    }
    check(text, value, is: expected)
  }

  /// Runs a closure, and returns the messages that were added meanwhile.
  func hearing(_ action: () throws -> Void) rethrows -> [String] {
    let count = said.count
    try action()
    return Array(said.dropFirst(count))
  }
}
