@_exported public import KeyValueObserving
public import Observation

/// A class whose observed properties Observation tracks.
///
/// What `withObservationTracking` and `Observations` read of its properties with the attributes
/// `@Observed`, `@ObservedWeak` and `@ManuallyObserved`, or of those that call `willRead(_:)`, they
/// hear changes of, as if the class were `@Observable`.
///
/// ```swift
/// final class Player: ObservationTrackable {
///   @Observed var score = 0
/// }
/// let player = Player()
/// withObservationTracking { print(player.score) } onChange: { print("about to change") }
/// player.score = 1
/// ```
///
/// Observation hears of a change where observers of the property with the option `prior` do, on the
/// thread that makes it: before it and after it. Changes within `withChangeTransaction` are one
/// change, which begins with the first of them.
///
/// The first read of a property counts as setting it: afterwards several threads may read it at the
/// same time. An object that has been read uses some hundred bytes more for each such property.
public protocol ObservationTrackable: KeyValueObservable, Observable {}
