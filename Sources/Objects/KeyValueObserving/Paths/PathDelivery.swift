/// Makes the deliveries of changes of a path's value that need no old value.
///
/// Its type is not generic, and its closure is made where the path's types are known: in code that
/// is not specialised for them, each generic type made of them is looked up at run time.
@usableFromInline
struct PlainPathDelivery {
  /// - Parameters:
  ///   - root: The object where the path begins.
  ///   - observation: The path's observation.
  ///   - repetition: The repetition of the evaluation from which the path's links were made.
  ///   - isAlone: Whether to deliver the change at once.
  /// - Returns: The delivery, which does nothing if the change has been delivered; nil if
  ///   evaluating the path reads other properties now.
  @usableFromInline
  typealias Make =
    (
      _ root: AnyObject, _ observation: KeyValueObservation, _ repetition: PathRepetition,
      _ isAlone: Bool
    ) -> (() -> Void)?

  let make: Make

  @usableFromInline
  init(_ make: @escaping Make) { self.make = make }
}

/// The delivery of a change of a path's value to the path's observation.
@usableFromInline
struct PathDelivery {
  /// The index of the path's link among the property's observers.
  @usableFromInline let index: Int

  /// Delivers the change.
  @usableFromInline let body: () -> Void
}
