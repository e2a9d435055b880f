/// Which values an observer receives, and when it is called: `NSKeyValueObservingOptions`.
@frozen
public struct ObservingOptions: OptionSet, Sendable, Hashable {
  /// The set's bits.
  public let rawValue: UInt16

  /// Creates a set from its bits.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// One call, with the present value, before `observe` returns; its kind is `setting`, without an
  /// old value.
  public static let initial = ObservingOptions(rawValue: 1)
  /// The value before the change; a change in place then copies it.
  public static let old = ObservingOptions(rawValue: 2)
  /// The value after the change.
  public static let new = ObservingOptions(rawValue: 4)
  /// One more call, before each change, without a new value.
  public static let prior = ObservingOptions(rawValue: 8)
  /// No call if the value is set to an equal one.
  ///
  /// Values that are not `Equatable` always differ. A `prior` call is made in any case.
  public static let distinct = ObservingOptions(rawValue: 16)

  /// Calls in the order of the changes, also of those that observers make within their calls.
  ///
  /// Without the option, a change within a call is delivered to all observers before that call
  /// returns, so that some get it before they get the outer change. With the option, calls for a
  /// change within a call wait until the outer change was delivered to all observers. So the
  /// observer gets each change once, with its values, in the order in which they were made, and is
  /// not called within its own call: it can keep a copy of a collection by replaying its changes.
  /// When it is called, the property may have changed again. A `prior` call that has waited is made
  /// after its change, before the call for the change itself. Only changes of one thread wait for
  /// each other.
  public static let inOrder = ObservingOptions(rawValue: 32)

  /// The code that makes the change, as `Change.origin`.
  ///
  /// The callers of the setter are found for each change: that takes about a microsecond for each,
  /// and memory. Their names are looked up only when they are asked for.
  public static let origin = ObservingOptions(rawValue: 256)

  /// Marks an observer that only passes changes on to another place, and runs no code of the
  /// user's.
  @usableFromInline static let elsewhere = ObservingOptions(rawValue: 64)

  /// Marks the observer as a link of a path, as opposed to an observer of the user's.
  @usableFromInline static let link = ObservingOptions(rawValue: 128)
}
