internal import CKeyValueObserving.Observing
internal import Synchronization

/// Another system that notes reads of properties and tells of their changes, such as Observation; a
/// module above this one installs it.
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

  /// Makes the system's counterpart of one property of an object.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The counterpart; nil if the object's class takes no part in the system.
  func property(of owner: AnyObject) -> ForeignProperty?
}

/// Another system's counterpart of an observable property: the system notes its reads, and hears of
/// its changes.
package final class ForeignProperty: Sendable {
  fileprivate let read: @Sendable () -> Void
  private let willSet: @Sendable () -> Void
  private let didSet: @Sendable () -> Void

  /// Creates a counterpart.
  ///
  /// - Parameters:
  ///   - read: Tells the system that the property is read.
  ///   - willSet: Tells the system that the property is about to change.
  ///   - didSet: Tells the system that the property has changed.
  package init(
    read: @escaping @Sendable () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) {
    (self.read, self.willSet, self.didSet) = (read, willSet, didSet)
  }

  /// The number of changes in progress that were announced.
  private let announced = Atomic<Int>(0)

  /// Tells the system of a change, or, if that is a prior call, that there will be one.
  ///
  /// The destruction of the object of a weak property is not announced, but the system counts on it.
  fileprivate func hear<Value>(_ change: Change<Value>) {
    if change.isPrior {
      announced.add(1, ordering: .relaxed)
      return willSet()
    }
    if announced.load(ordering: .relaxed) == 0 {
      willSet()
    } else {
      announced.subtract(1, ordering: .relaxed)
    }
    didSet()
  }
}

/// The system that a module above this one has installed.
package final class ForeignSystem: Sendable {
  private static let place = AtomicLazyReference<ForeignSystem>()

  private let system: any ForeignObserving

  private init(_ system: any ForeignObserving) { self.system = system }

  /// The installed system.
  static var installed: (any ForeignObserving)? { place.load()?.system }

  /// Whether there is an installed system.
  static var isInstalled: Bool { place.load() != nil }

  /// Installs a system for the rest of the process; the first one counts.
  ///
  /// From then on, each read of an observable property asks whether the system notes it.
  ///
  /// - Parameter system: The system.
  package static func install(_ system: any ForeignObserving) {
    let new = ForeignSystem(system)
    if place.storeIfNil(new) === new { cbr_observing_begin_mode() }
  }
}

extension ObserverList {
  /// Tells the installed system that a property is read, if the property's object takes part in it.
  ///
  /// - Parameters:
  ///   - owner: The property's object.
  ///   - present: The property's list; nil if there is none.
  ///   - type: The type of the property's value.
  ///   - key: The property's key path.
  /// - Returns: The property's list, if it was made by this call.
  @usableFromInline
  static func noteForeignRead<Value>(
    of owner: AnyObject, _ present: ObserverList?, _ type: Value.Type, _ key: () -> AnyKeyPath
  ) -> ObserverList? {
    if let property = present?.foreign.load() {
      property.read()
      return nil
    }
    guard let property = ForeignSystem.installed?.property(of: owner) else { return nil }
    let list = present ?? ObserverRegistry.list(for: key(), of: owner)
    list.counterpart(property, type).read()
    return present == nil ? list : nil
  }

  /// Makes another system hear of the property's changes.
  ///
  /// - Returns: The property's counterpart: another one if another thread has been faster.
  private func counterpart<Value>(
    _ new: ForeignProperty, _ type: Value.Type
  ) -> ForeignProperty {
    let property = foreign.storeIfNil(new)
    if property === new {
      let handler = ChangeHandler<Value> { property.hear($1) }
      let observer = KeyValueObservation(handler, options: .prior)
      if !add(observer) { observer.remove() }
    }
    return property
  }
}
