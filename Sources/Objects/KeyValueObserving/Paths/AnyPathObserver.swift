// SAFETY: `@unchecked Sendable`: the stored property is immutable; a class that is not final cannot
// be checked.
/// The interface of a path for the properties on it, whatever the type of its value.
class AnyPathObserver: @unchecked Sendable {
  /// The number of the path's observation.
  final let number: UInt64

  init(number: UInt64) { self.number = number }

  /// Notifies the path that a property on it is about to change.
  ///
  /// - Returns: The state that is needed after the change, and what delivers the prior call to the
  ///   path's observation, if that asks for one.
  func willChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ isManual: Bool, _ isDelivered: Bool
  ) -> (start: PathStart, deliver: (() -> Void)?) { (PathStart(self), nil) }

  /// Notifies the path that a property on it has changed.
  ///
  /// - Returns: The delivery of the change to the path's observation; nil if it gets none.
  func didChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ start: PathStart?, _ isManual: Bool
  ) -> (() -> Void)? { nil }

  /// Evaluates the path after a single change that was not announced before it.
  ///
  /// - Parameter isAlone: Whether to deliver the change at once, because the property has no other
  ///   observer.
  /// - Returns: The delivery of the change to the path's observation, which does nothing if the
  ///   change has been delivered; nil if `didChange` must be called instead.
  func deliveryOfPlainChange(isAlone: Bool) -> (() -> Void)? { nil }

  /// Evaluates the path again after a change that is not delivered to its observation.
  func follow() {}

  /// Whether a property on the path is being changed in place, so that the path cannot be
  /// evaluated.
  var leadsThroughInPlaceChange: Bool { false }

  /// Whether the path stores the state before a change that it has not been notified of.
  var isHolding: Bool { false }

  /// Stores the state before a change of which the next notification will notify too.
  func hold(_ start: PathStart?) {}
}
