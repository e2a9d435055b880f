/// What an observer wants to be told, and when: `NSKeyValueObservingOptions`.
@frozen
public struct ObservingOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8

  /// Makes options of their bits.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A call with the present value before `observe` returns: kind `setting`, never an old value.
  public static let initial = ObservingOptions(rawValue: 1)
  /// The value before the change; a change in place copies it.
  public static let old = ObservingOptions(rawValue: 2)
  /// The value after the change.
  public static let new = ObservingOptions(rawValue: 4)
  /// One more call before each change, without a new value.
  public static let prior = ObservingOptions(rawValue: 8)
  /// No call where the value is set to an equal one.
  ///
  /// Values that are not `Equatable` always differ. A `prior` call comes before anyone can know.
  public static let distinct = ObservingOptions(rawValue: 16)

  /// The observer is a link of a path, not a user's.
  @usableFromInline static let link = ObservingOptions(rawValue: 128)
}
