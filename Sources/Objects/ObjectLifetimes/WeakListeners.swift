internal import BlockRuntimeErrors
public import BlockRuntimeThreads

/// A list of objects of a plain Swift protocol, which are called one after the other, and which the
/// list does not retain: a multicast delegate.
///
/// ```swift
/// protocol PageListener: AnyObject {
///   func page(_ name: String, didLoad count: Int) throws
///   func canClose(_ name: String) -> Bool
/// }
/// final class Log: PageListener {
///   func page(_ name: String, didLoad count: Int) { print(name, count) }
///   func canClose(_ name: String) -> Bool { true }
/// }
/// let listeners = WeakListeners<any PageListener>()
/// let log = Log()
/// listeners.add(log)
/// listeners.forEach { try $0.page("index", didLoad: 3) }
/// print(listeners.allAgree { $0.canClose("index") })
/// ```
///
/// A listener may be added, be removed or die at any time, also during a round of calls: this calls
/// the listeners that were in the list when it began, and neither have left it nor died. An object
/// is in the list at most once. The error of a listener is passed to `onError`, and the others are
/// called.
///
/// The list may be used on any thread if its listeners are `Sendable`; they are called on the
/// caller's thread, under no lock. For messages by selectors, answers by policies, or a protocol's
/// requirements that a macro forwards, see `MultiTargetProxy` and the macro `@Forwarding`.
public final class WeakListeners<Listener> {
  /// Receives the errors of listeners.
  public typealias ErrorHandler = @Sendable (_ listener: Listener, _ error: any Error) -> Void

  @usableFromInline let onError: ErrorHandler
  @usableFromInline let current = Locked([Place]())

  /// Creates an empty list.
  ///
  /// - Parameter onError: Receives the errors of listeners; if not given, they are written to
  ///   standard error.
  public init(onError: @escaping ErrorHandler = writeError) { self.onError = onError }

  /// Writes the error of a listener to standard error.
  @usableFromInline
  static func writeError(of listener: Listener, _ error: any Error) {
    reportError(error, from: "a listener (\(type(of: listener as Any)))")
  }

  /// Adds an object behind those of the same or a higher priority.
  ///
  /// - Parameters:
  ///   - listener: The object, which is not retained. An object that is in the list is not added,
  ///     nor is a value that is no object, which is reported on standard error.
  ///   - priority: Listeners of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(_ listener: Listener, priority: Int = 0) -> Bool {
    guard type(of: listener as Any) is AnyClass else {
      reportError(
        LifetimeError(
          .unsupportedObject,
          "\(type(of: listener as Any)) is no class: only an object can be a weak listener"),
        from: "an addition to a list of listeners")
      return false
    }
    let place = Place(listener, priority)
    return change { $0.join(place) }
  }

  /// Removes an object: after the return no call of it begins, except one that another thread is
  /// just about to begin.
  ///
  /// - Parameter listener: The object.
  /// - Returns: Whether it was in the list.
  @discardableResult
  public func remove(_ listener: Listener) -> Bool {
    let identity = WeakReference(listener as AnyObject).identity
    return change { $0.leave(identity) }
  }

  /// Removes all listeners.
  public func removeAll() { change { $0.leaveAll() } }

  /// Whether an object is in the list.
  ///
  /// - Parameter listener: The object.
  /// - Returns: Whether it is in the list.
  public func contains(_ listener: Listener) -> Bool {
    let identity = WeakReference(listener as AnyObject).identity
    return current.withLock { $0 }.hasMember(identity)
  }

  /// The listeners that are alive, in the order in which they are called.
  public var listeners: [Listener] { current.withLock { $0 }.compactMap(\.listener) }

  /// Calls a closure with each listener.
  ///
  /// - Parameter body: Calls the listener.
  @inlinable
  public func forEach(_ body: (Listener) throws -> Void) {
    visit { listener in
      try body(listener)
      return true
    }
  }

  /// Asks each listener whether it agrees.
  ///
  /// - Parameter body: Asks the listener; a listener that throws has no say.
  /// - Returns: Whether none disagrees; true if there is none.
  @inlinable
  public func allAgree(_ body: (Listener) throws -> Bool) -> Bool {
    var agree = true
    visit { listener in
      if try !body(listener) { agree = false }
      return true
    }
    return agree
  }

  /// Asks the listeners one after the other, until one has an answer.
  ///
  /// - Parameter body: Asks the listener; nil if it has no answer.
  /// - Returns: The first answer; nil if there is none.
  @inlinable
  public func first<Answer>(_ body: (Listener) throws -> Answer?) -> Answer? {
    var answer: Answer?
    visit { listener in
      answer = try body(listener)
      return answer == nil
    }
    return answer
  }

  /// Calls a closure with each listener, until it returns false.
  @inlinable
  @inline(__always)
  func visit(_ body: (Listener) throws -> Bool) {
    for place in current.withLock({ $0 }) where !place.hasLeft {
      guard let listener = place.listener else { continue }
      do {
        guard try body(listener) else { return }
      } catch {
        onError(listener, error)
      }
    }
  }

  /// Changes the list, and removes dead listeners.
  ///
  /// Under the lock no reference is released that may be the last.
  @discardableResult
  private func change<Outcome>(_ body: (inout [Place]) -> Outcome) -> Outcome {
    let (outcome, last) = current.withLock { places in
      let last = places
      places.removeAll { $0.isDead }
      return (body(&places), last)
    }
    withExtendedLifetime(last) {}
    return outcome
  }
}

// SAFETY: `@unchecked`: the list is guarded by its lock, and places are immutable or atomic.
extension WeakListeners: @unchecked Sendable where Listener: Sendable {}
