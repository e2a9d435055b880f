/// The isolation of functions that the compiler refuses, because their observers may be called by
/// any thread and are not `Sendable`.
///
/// If the functions were unavailable instead, the compiler would choose those for other classes.
@globalActor public actor ObserverMustBeSendable {
  /// An actor on which nothing runs.
  public static let shared = ObserverMustBeSendable()
}

extension KeyValueObservation {
  /// An observation that was removed.
  static var refused: KeyValueObservation {
    let refused = KeyValueObservation(ChangeHandler<Void> { _, _ in }, options: [])
    refused.remove()
    return refused
  }
}

extension PropertyOwner where Self: Sendable {
  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation { .refused }

  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation { .refused }
}

extension PropertyOwner where Self: Sendable {
  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - keyPaths: The key paths.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult
  public func observe(
    _ keyPaths: [PartialKeyPath<Self>], options: ObservingOptions = .new,
    name: String? = nil,
    _ handler: @escaping (Self, PartialKeyPath<Self>, Change<Any>) throws -> Void
  ) -> KeyValueObservation { .refused }

  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable { .refused }
}

extension PropertyOwner {
  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable & Sendable { .refused }
}

extension KeyedPropertyOwner where Self: Sendable {
  /// Refused by the compiler: any thread may call the observer of a `Sendable` class.
  ///
  /// - Parameters:
  ///   - keyPath: The string key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: An observation that was removed.
  @ObserverMustBeSendable @available(*, noasync, message: "the observer must be @Sendable")
  @discardableResult
  public func observe(
    keyPath: String, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Any>) throws -> Void
  ) -> KeyValueObservation { .refused }
}
