internal import CObservationBridge
internal import KeyValueObserving
internal import Observation

/// Observation, as key-value observing sees it.
struct ObservationSystem: ForeignObserving {
  func track(
    _ body: () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) -> (@Sendable () -> Void)? {
    #if compiler(>=6.2) && compiler(<6.4)
    BothSidesTracking.begin(body, willSet: willSet, didSet: didSet)
    #else
    PublicTracking.begin(body, willSet: willSet, didSet: didSet)
    #endif
  }

  func reads(_ body: () -> Void) -> Bool {
    var reads = false
    // The closure for a change is asked for only if there was a read.
    withObservationTracking(body, onChange: nothing(&reads))
    return reads
  }

  /// Sets a flag.
  ///
  /// - Parameter flag: The flag.
  /// - Returns: A closure that does nothing.
  private func nothing(_ flag: inout Bool) -> @Sendable () -> Void {
    flag = true
    return {}
  }

  func takesPart(_ owner: AnyObject) -> Bool {
    // A cast takes a thousand instructions.
    let type = UInt(bitPattern: ObjectIdentifier(type(of: owner)))
    switch cbr_known_class(type) {
    case CBR_CLASS_TRACKED: return true
    case CBR_CLASS_OTHER: return false
    default:
      let isTracked = owner is any ObservationTrackable
      cbr_remember_class(type, isTracked ? CBR_CLASS_TRACKED : CBR_CLASS_OTHER)
      return isTracked
    }
  }

  func makeProperty() -> ForeignProperty {
    let property = TrackedProperty()
    return ForeignProperty(
      read: property.read, willSet: property.willSet, didSet: property.didSet)
  }
}

/// Starts the bridge; called when the image is loaded.
@_cdecl("cbr_start_observation_bridge")
func startObservationBridge() { ForeignSystem.install(ObservationSystem()) }

/// A property of an object, as Observation sees it: it has a registrar of its own, so that no key
/// path of its class is needed.
final class TrackedProperty: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private var value: Void { () }

  @Sendable func read() { registrar.access(self, keyPath: \.value) }
  @Sendable func willSet() { registrar.willSet(self, keyPath: \.value) }
  @Sendable func didSet() { registrar.didSet(self, keyPath: \.value) }
}
