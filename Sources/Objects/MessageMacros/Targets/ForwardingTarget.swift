#if Macros
public import MessageForwarding
public import ObjectLifetimes
public import Synchronization

/// One target of a forwarder.
public final class ForwardingTarget<Requirements: ForwardedRequirements>: ListMember {
  /// The kind of the target.
  @usableFromInline
  enum Kind { case object, closures, receiver }

  @usableFromInline let kind: Kind
  @usableFromInline let removal: TargetRemoval

  /// The priority; targets of a higher one are called first.
  package let priority: Int

  /// The identity of the object, also after its death; that of closures is their removal's.
  package let identity: WeakIdentity

  // An enumeration of these would copy weak references to read them.
  private let strong: AnyObject?
  @usableFromInline let weakTarget: Requirements.WeakTarget
  @usableFromInline let closures: Requirements.Closures
  @usableFromInline weak let receiver: (any MessageReceiver)?

  init(_ target: Requirements.Target, identity object: AnyObject, isStrong: Bool, priority: Int) {
    kind = .object
    removal = TargetRemoval()
    identity = WeakReference(object).identity
    self.priority = priority
    strong = isStrong ? object : nil
    weakTarget = Requirements.WeakTarget(target)
    closures = Requirements.Closures()
    receiver = nil
  }

  init(_ closures: Requirements.Closures, priority: Int) {
    kind = .closures
    removal = TargetRemoval()
    identity = WeakReference(removal).identity
    self.priority = priority
    strong = nil
    weakTarget = Requirements.WeakTarget(nil)
    self.closures = closures
    receiver = nil
  }

  init(receiver: any MessageReceiver, isStrong: Bool, priority: Int) {
    kind = .receiver
    removal = TargetRemoval()
    identity = WeakReference(receiver as AnyObject).identity
    self.priority = priority
    strong = isStrong ? receiver : nil
    weakTarget = Requirements.WeakTarget(nil)
    closures = Requirements.Closures()
    self.receiver = receiver
  }

  /// Creates the target of a part from that of the whole.
  init<Other: ForwardedRequirements>(
    _ other: ForwardingTarget<Other>, target: (Other.Target) -> Requirements.Target,
    closures: (Other.Closures) -> Requirements.Closures
  ) {
    kind =
      switch other.kind {
      case .object: .object
      case .closures: .closures
      case .receiver: .receiver
      }
    removal = other.removal
    identity = other.identity
    priority = other.priority
    strong = other.strong
    weakTarget = Requirements.WeakTarget(other.weakTarget.target.map(target))
    self.closures = closures(other.closures)
    receiver = other.receiver
  }

  package func leave() { removal.remove() }

  /// Marks the target as removed if its object is dead.
  func removeIfDead() {
    switch kind {
    case .object: if object == nil { removal.remove() }
    case .receiver: if receiver == nil { removal.remove() }
    case .closures: break
    }
  }

  /// The object; nil after its death, and if the target is not an object.
  @inlinable var object: Requirements.Target? { weakTarget.target }
}

/// Whether a target was removed, or found dead: then no call of it begins.
@usableFromInline
final class TargetRemoval: Sendable {
  @usableFromInline let removed = Atomic(false)

  init() {}

  @inlinable var isRemoved: Bool { removed.load(ordering: .acquiring) }

  @inlinable
  func remove() { removed.store(true, ordering: .releasing) }
}

// SAFETY: `@unchecked`: everything is immutable; a receiver must be safe to use on the threads that
// use the forwarder, as `Forwarder` says, and so must be an object that is held.
extension ForwardingTarget: @unchecked Sendable
where Requirements.WeakTarget: Sendable, Requirements.Closures: Sendable {}
#endif
