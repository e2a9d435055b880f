@_exported public import KeyValueObserving
public import Observation

/// A class whose observed properties Observation tracks.
///
/// `withObservationTracking` and `Observations` are notified of changes of the properties that they
/// read, as if the class were `@Observable`: of properties with the attributes `@Observed`,
/// `@ObservedWeak` and `@ManuallyObserved`, and of those that call `willRead(_:)`.
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
/// Observation is notified of a change when observers with the option `prior` are called: before it
/// and after it, on the thread that makes it. Changes within `withChangeTransaction` are one
/// change, which begins with the first of them.
///
/// The first read of a property counts as setting it: afterwards several threads may read it at the
/// same time. An object that has been read uses some hundred bytes more for each such property.
public protocol ObservationTrackable: KeyValueObservable, Observable {}
