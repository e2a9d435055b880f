import Synchronization

/// Holds an object until it is told to let go of it, on any thread.
final class Held<Object: AnyObject & Sendable>: Sendable {
  private let held: Mutex<Object?>

  init(_ object: Object) { held = Mutex(object) }

  var object: Object? { held.withLock { $0 } }

  func drop() {
    let dropped = held.withLock { held in
      defer { held = nil }
      return held
    }
    withExtendedLifetime(dropped) {}
  }
}
