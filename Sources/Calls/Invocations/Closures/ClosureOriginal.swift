/// The closure inside of a function's hooks, whose code is the original.
package final class ClosureOriginal: Sendable {
  /// The owner of the closure's code, which is retained for calls that protect only their receiver.
  private let entry: CallEntry

  /// The way in which the closure's errors reach the caller; nil if it throws none.
  let errors: ErrorPassage?

  /// The closure, if frames can run it without its code; it passes on errors as `errors` does.
  let direct: DirectOriginal?

  /// The Swift types of the closure, if it is that of a method.
  let types: MethodTypes?

  package init(
    _ entry: CallEntry, errors: ErrorPassage?, direct: DirectOriginal?, types: MethodTypes?
  ) {
    self.entry = entry
    self.errors = errors
    self.direct = direct
    self.types = types
  }
}
