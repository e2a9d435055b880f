#if Macros
public import Invocations
internal import Synchronization

/// A class that sends each requirement of a protocol on to its targets: a typed multicast delegate.
///
/// For a protocol `PageDelegate` with the attribute `@Forwarding`, a forwarder is a class that
/// conforms to `PageDelegateForwarding`:
///
/// ```swift
/// final class PageDelegates: PageDelegateForwarding { let targets = Targets() }
/// ```
///
/// Targets are of three kinds: objects that conform to the protocol, closures, and receivers of
/// messages. They are in one list, in the order of their priority. An object is retained only if it
/// is added strongly, and while it is called; closures are held until they are removed.
///
/// A requirement without an answer goes to all targets that respond: to objects, unless they leave
/// an `Optional` requirement out; to closures that are set; to receivers whose `responds(to:)` is
/// true. A requirement with an answer goes to the targets that its ``AnswerPolicy`` chooses. If no
/// target responds, the answer is the default of an `Optional` requirement, otherwise the zero of
/// its type, as for a message to nil in Objective-C; but a requirement that throws, and has an
/// answer, throws `deadReceiver`.
///
/// An error of a target does not keep other targets from being called. It is passed to ``onError``
/// if another target answers; otherwise the first error is thrown.
///
/// Targets may be added and removed at any time, also during a call of them: a call goes to those
/// that were targets when it began. After a target was removed no call of it begins, except one
/// that another thread is just about to begin.
///
/// The functions of a forwarder may be called from any thread if the protocol is `Sendable`, whose
/// receivers must then be `Sendable` too, and on its global actor if it is isolated to one.
public protocol Forwarder: AnyObject {
  /// The requirements that the forwarder sends on.
  associatedtype Requirements: ForwardedRequirements

  /// The targets and the policies.
  var targets: ForwardingTargets<Requirements> { get }
}

/// A forwarder that is created without arguments, as a class is that has no other initialiser.
///
/// An internal class has the initialiser by itself; a public class writes `public init() {}`, and a
/// class that is not final `required init() {}`.
public protocol InitializableForwarder: Forwarder {
  /// Creates a forwarder without targets.
  init()
}

extension InitializableForwarder {
  /// Creates a forwarder.
  ///
  /// - Parameters:
  ///   - weakTargets: The first objects to which it forwards, which are not retained.
  ///   - strongTargets: The objects after them, which the forwarder retains.
  public init(
    weak weakTargets: Requirements.Target..., strong strongTargets: Requirements.Target...
  ) {
    self.init()
    for target in weakTargets { add(weak: target) }
    for target in strongTargets { add(strong: target) }
  }
}

extension Forwarder {
  /// Adds an object that the forwarder does not retain, after the targets of the same or a higher
  /// priority.
  ///
  /// - Parameters:
  ///   - target: The object. Not added are an object that is a target already, the forwarder
  ///     itself, and a forwarder that leads back to it, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weak target: Requirements.Target, priority: Int = 0) -> Bool {
    add(target, isStrong: false, priority)
  }

  /// Adds an object that the forwarder retains, after the targets of the same or a higher priority.
  ///
  /// - Parameters:
  ///   - target: The object. Not added are an object that is a target already, the forwarder
  ///     itself, and a forwarder that leads back to it, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(strong target: Requirements.Target, priority: Int = 0) -> Bool {
    add(target, isStrong: true, priority)
  }

  private func add(_ target: Requirements.Target, isStrong: Bool, _ priority: Int) -> Bool {
    let object = target as AnyObject
    let added = ForwardingTarget<Requirements>(
      target, identity: object, isStrong: isStrong, priority: priority)
    guard let forwarder = object as? any Forwarder else { return targets.add(added) ?? false }
    while true {
      let count = additions.load(ordering: .acquiring)
      guard !forwarder.leads(to: targets) else {
        targets.reportRefusal("\(type(of: object)) leads back to the forwarder: it is not added")
        return false
      }
      // Another thread may have added a forwarder meanwhile.
      let isAdded = targets.add(added) {
        additions.compareExchange(
          expected: count, desired: count + 1, ordering: .acquiringAndReleasing
        ).exchanged
      }
      if let isAdded { return isAdded }
    }
  }

  /// Adds closures.
  ///
  /// - Parameters:
  ///   - priority: Targets of a higher priority are called first.
  ///   - set: Sets closures for the requirements that they are to answer.
  /// - Returns: The token that removes them.
  @discardableResult
  public func add(
    priority: Int = 0, _ set: (inout Requirements.Closures) -> Void
  ) -> ForwardingToken<Requirements> {
    var closures = Requirements.Closures()
    set(&closures)
    let target = ForwardingTarget<Requirements>(closures, priority: priority)
    targets.add(target)
    return ForwardingToken(target.removal, of: targets)
  }

  /// Removes an object or a receiver: after the return no call of it begins, except one that
  /// another thread is just about to begin.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether it was a target.
  @discardableResult
  public func remove(_ target: AnyObject) -> Bool { targets.remove(target) }

  /// Removes all targets.
  public func removeAll() { targets.removeAll() }

  /// Whether an object is a target.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether it is a target.
  public func contains(_ target: AnyObject) -> Bool { targets.contains(target) }

  /// The policies of the requirements with answers.
  ///
  /// Setting one policy reads and writes all of them: of two threads that do so at once, one may
  /// win.
  public var policies: Requirements.Policies {
    get { targets.list.policies }
    set { targets.setPolicies(newValue) }
  }

  /// Receives the errors of targets that are not thrown; at first, writes them to standard error.
  public var onError: ForwardingErrorHandler {
    get { targets.list.onError }
    set { targets.setErrorHandler(newValue) }
  }

  /// Whether the given targets are the forwarder's own, or those of a forwarder among its targets.
  fileprivate func leads(to others: AnyObject) -> Bool {
    targets === others
      || targets.list.objects.contains { ($0 as? any Forwarder)?.leads(to: others) ?? false }
  }
}

/// How often a forwarder was added to another, in the whole process.
private let additions = Atomic(0)

/// Receives the error of a target, with the target and the requirement as a message.
public typealias ForwardingErrorHandler =
  @Sendable (_ target: AnyObject?, _ selector: Selector, _ error: any Error) -> Void
#endif
