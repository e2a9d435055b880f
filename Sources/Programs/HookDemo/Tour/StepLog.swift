import BlockRuntime
internal import BlockRuntimeThreads

/// The messages and checks of a step of the tour; hooks write to it from any thread.
final class StepLog: Sendable {
  /// A message of a block, a hook or the step itself; or a check, and whether it holds.
  typealias Line = (text: String, holds: Bool?)

  private let state = Locked<[Line]>([])

  /// The lines so far.
  var lines: [Line] { state.withLock { $0 } }

  /// The messages, without the checks.
  var said: [String] { lines.filter { $0.holds == nil }.map(\.text) }

  /// Whether every check holds.
  var isOK: Bool { lines.allSatisfy { $0.holds != false } }

  func say(_ text: String) { state.withLock { $0.append((text, nil)) } }

  /// Adds a check with its result.
  func check(_ text: String, _ holds: Bool) { state.withLock { $0.append((text, holds)) } }

  /// Checks that there is a value and that it is the expected one; shows both if it is not.
  func check<Value: Equatable>(_ text: String, _ value: Value?, is expected: Value) {
    let found = value.map { "= \($0)" } ?? "is missing"
    let holds = value == expected
    check("\(text) \(found)" + (holds ? "" : ", not \(expected)"), holds)
  }

  /// Checks which messages are added while a closure runs.
  func check(_ text: String, hearing expected: [String], _ action: () throws -> Void) rethrows {
    check(text, try hearing(action), is: expected)
  }

  /// Checks that a closure throws an error of a code, and adds the error's message.
  func check(_ text: String, isRefusedAs code: String, _ action: () throws -> Void) {
    do {
      try action()
      check("\(text) is refused", false)
    } catch {
      let refusal = error as? any BlockRuntimeError
      say("\(text) is refused: \(refusal?.message ?? "\(error)")")
      check("the refusal", refusal?.code.rawValue, is: code)
    }
  }

  /// Runs a closure, and returns the messages that were added meanwhile.
  func hearing(_ action: () throws -> Void) rethrows -> [String] {
    let count = said.count
    try action()
    return Array(said.dropFirst(count))
  }
}
