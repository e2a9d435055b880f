internal import BlockRuntimeThreads
internal import IsolatedClosures

/// The weak reference to a real delegate, which a delegate and its class share.
final class RealDelegate: Sendable {
  private struct Reference {
    weak var receiver: (any MessageReceiver)?
    /// The receiver, if it is a delegate.
    weak var delegate: DynamicDelegate?
    /// Where a receiver that is not `Sendable` may be called.
    var isolation: Isolation?
    /// How often a receiver has been set.
    var number: UInt64 = 0
  }

  private let reference = Locked(Reference())

  /// One thread at a time looks for a cycle and sets a real delegate.
  private static let changes = Locked(())

  /// The real delegate; nil after its death.
  ///
  /// - Parameter isUsable: Whether the caller may use a real delegate with this isolation;
  ///   otherwise the result is nil, and this thread does not retain the real delegate. Called under
  ///   no lock.
  /// - Returns: The real delegate.
  func receiver(where isUsable: (Isolation) -> Bool) -> (any MessageReceiver)? {
    while true {
      let (number, isolation) = reference.withLock { ($0.number, $0.isolation) }
      if let isolation, !isUsable(isolation) { return nil }
      // Meanwhile another thread may have set a real delegate with another isolation.
      let (found, receiver) = reference.withLock { reference in
        reference.number == number ? (true, reference.receiver) : (false, nil)
      }
      if found { return receiver }
    }
  }

  /// The error that says why the real delegate may not be called here; nil if it may.
  var isolationError: IsolationError? {
    guard let isolation = reference.withLock({ $0.isolation }) else { return nil }
    do throws(IsolationError) { try isolation.require() } catch { return error }
    return nil
  }

  /// Sets the real delegate.
  ///
  /// - Parameters:
  ///   - receiver: The real delegate.
  ///   - isolation: Where the real delegate may be called; nil for everywhere.
  /// - Returns: False if messages would be forwarded in a cycle.
  func set(_ receiver: (any MessageReceiver)?, _ isolation: Isolation?) -> Bool {
    // Retained until no lock is held: a delegate's deinit may be that of its owner.
    var chain: [DynamicDelegate] = []
    return Self.changes.withLock { _ in
      var next = receiver as? DynamicDelegate
      while let delegate = next {
        chain.append(delegate)
        if delegate.real === self { return false }
        next = delegate.real.reference.withLock { $0.delegate }
      }
      let new = Reference(
        receiver: receiver, delegate: chain.first, isolation: receiver == nil ? nil : isolation)
      reference.withLock { reference in
        let number = reference.number + 1
        reference = new
        reference.number = number
      }
      return true
    }
  }
}

extension RealDelegate: ReferenceTable {
  package var contents: Any { reference.withLock { $0 } }
}
