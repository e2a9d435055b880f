private import BlockRuntimeThreads
internal import CKeyValueObserving.Observing
internal import Synchronization

/// Another system that notes reads of properties and notifies of their changes, such as
/// Observation.
///
/// A module above this one installs it.
package protocol ForeignObserving: Sendable {
  /// Calls a closure, and observes the system's properties that the closure reads on this thread.
  ///
  /// - Parameters:
  ///   - body: The closure.
  ///   - willSet: What is called before each change, by the thread that makes it.
  ///   - didSet: What is called after each change, by the thread that makes it.
  /// - Returns: A closure that ends the observation; nil if `body` has read none of the properties.
  func track(
    _ body: () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) -> (@Sendable () -> Void)?

  /// Calls a closure, and finds out whether it reads properties of the system on this thread.
  ///
  /// The system may keep a note of what was read, until it changes or is destroyed.
  ///
  /// - Parameter body: The closure.
  /// - Returns: Whether it has read any.
  func reads(_ body: () -> Void) -> Bool

  /// Asks whether the system notes reads of the properties of an object.
  ///
  /// - Parameter owner: The object.
  /// - Returns: Whether it does.
  func takesPart(_ owner: AnyObject) -> Bool

  /// Makes the system's counterpart of one property of an object that takes part.
  func makeProperty() -> ForeignProperty
}

extension ForeignObserving {
  /// Calls a closure.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns; nil if it has read properties of the system.
  func resultOfOwnReads<Result>(_ body: () -> Result?) -> Result? {
    var result: Result?
    return reads { result = body() } ? nil : result
  }
}

/// Another system's counterpart of an observable property: the system notes its reads, and is
/// notified of its changes.
package final class ForeignProperty: Sendable {
  fileprivate let read: @Sendable () -> Void
  private let willSet: @Sendable () -> Void
  private let didSet: @Sendable () -> Void

  /// Creates a counterpart.
  ///
  /// - Parameters:
  ///   - read: Notifies the system that the property is read.
  ///   - willSet: Notifies the system that the property is about to change.
  ///   - didSet: Notifies the system that the property has changed.
  package init(
    read: @escaping @Sendable () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) {
    (self.read, self.willSet, self.didSet) = (read, willSet, didSet)
  }

  /// The number of changes in progress that were announced.
  private let announced = Atomic<Int>(0)

  /// Notifies the system of a change, or, in a prior call, that there will be one.
  ///
  /// The end of a weak property's object has no prior call, but the system must be notified twice.
  fileprivate func notify<Value>(_ change: Change<Value>) {
    if change.isPrior {
      announced.add(1, ordering: .relaxed)
      return willSet()
    }
    if !takeAnnouncement() { willSet() }
    didSet()
  }

  /// Takes one of the announcements.
  ///
  /// - Returns: Whether there was one; several threads take it only once.
  private func takeAnnouncement() -> Bool {
    var present = announced.load(ordering: .relaxed)
    while present > 0 {
      let result = announced.weakCompareExchange(
        expected: present, desired: present - 1, ordering: .relaxed)
      if result.exchanged { return true }
      present = result.original
    }
    return false
  }
}

/// The system that a module above this one has installed.
package final class ForeignSystem: Sendable {
  private static let place = OnceReference<ForeignSystem>()

  private let system: any ForeignObserving

  private init(_ system: any ForeignObserving) { self.system = system }

  /// Whether a system is installed.
  static var isInstalled: Bool { place.isStored }

  /// The installed system.
  static var installed: (any ForeignObserving)? { place.withObject { $0.system } }

  /// Notifies the installed system that a property is read, if it has a counterpart of the
  /// property.
  ///
  /// - Parameters:
  ///   - list: The address of the property's list; 0 if it has none.
  ///   - owner: The property's object.
  /// - Returns: Whether the system has none, and wants one.
  static func needsNote(ofReading list: UInt, of owner: AnyObject) -> Bool {
    guard let system = installed else { return false }
    if let list = unsafe UnsafeRawPointer(bitPattern: list) {
      // SAFETY: the property's storage retains the list, and the caller retains its owner.
      let isNoted = unsafe Unmanaged<ObserverList>.fromOpaque(list)._withUnsafeGuaranteedRef {
        $0.foreign.withObject { $0.read() } != nil
      }
      if isNoted { return false }
    }
    return system.takesPart(owner)
  }

  /// Installs a system for the rest of the process; the first one counts.
  ///
  /// From then on, each read of an observable property asks whether the system notes it.
  ///
  /// - Parameter system: The system.
  package static func install(_ system: any ForeignObserving) {
    if place.store(ForeignSystem(system)) { cbr_observing_begin_mode() }
  }
}

extension ObserverList {
  /// Notifies the installed system that the property is read, and, from now on, of its changes.
  ///
  /// - Parameter type: The type of the property's value.
  @usableFromInline
  func noteForeignRead<Value>(_ type: Value.Type) {
    guard let system = ForeignSystem.installed else { return }
    let property = system.makeProperty()
    // Another thread may have been faster.
    if foreign.store(property) {
      let observer = KeyValueObservation(
        ChangeHandler<Value> { property.notify($1) }, options: .prior)
      if !add(observer) { observer.remove() }
    }
    foreign.withObject { $0.read() }
  }
}
