/// The closure inside of a function's hooks, whose code is the original.
package final class ClosureOriginal: Sendable {
  /// The owner of the code, which calls use that protect only their receiver.
  private let entry: CallEntry

  /// The way in which the closure's errors reach the caller; nil if it throws none.
  let errors: ErrorPassage?

  /// The closure, if frames can run it without its code; it runs as `errors` would have it.
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
