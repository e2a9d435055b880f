#if Macros
/// The targets and policies of a forwarder: an immutable snapshot.
@safe
public final class TargetList<Requirements: ForwardedRequirements> {
  @usableFromInline let targets: [ForwardingTarget<Requirements>]

  // SAFETY: written in `init` only, with as many elements as there are targets, and freed in
  // `deinit`; `targets` retains the elements.
  @usableFromInline let places:
    UnsafeMutableBufferPointer<Unmanaged<ForwardingTarget<Requirements>>>
  @usableFromInline let policies: Requirements.Policies
  @usableFromInline let onError: ForwardingErrorHandler

  init(
    _ targets: [ForwardingTarget<Requirements>], _ policies: Requirements.Policies,
    _ onError: @escaping ForwardingErrorHandler
  ) {
    self.targets = targets
    self.policies = policies
    self.onError = onError
    unsafe places = .allocate(capacity: targets.count)
    for (index, target) in targets.enumerated() {
      unsafe places.initializeElement(at: index, to: Unmanaged.passUnretained(target))
    }
  }

  deinit { unsafe places.deallocate() }

  /// Calls a closure with each target that was not removed, until it returns false; counts no
  /// references to them.
  @inlinable
  @inline(__always)
  func forEach(_ body: (ForwardingTarget<Requirements>) -> Bool) {
    defer { withExtendedLifetime(self) {} }
    for index in unsafe places.indices {
      // SAFETY: the list is retained until the end, and retains the target.
      let goesOn = unsafe places[index]._withUnsafeGuaranteedRef { target in
        target.removal.isRemoved || body(target)
      }
      guard goesOn else { return }
    }
  }

  /// The objects and receivers that are alive.
  var objects: [AnyObject] {
    targets.flatMap { [$0.object as AnyObject?, $0.receiver].compactMap { $0 } }
  }

  /// Returns the list of a part.
  ///
  /// - Parameters:
  ///   - type: The requirements of an inherited protocol.
  ///   - target: Converts an object to the inherited protocol.
  ///   - closures: Finds the closures of the inherited protocol's requirements.
  ///   - policies: Finds the policies of the inherited protocol's requirements.
  /// - Returns: The list, with the same targets.
  public func part<Part: ForwardedRequirements>(
    _ type: Part.Type = Part.self, target: (Requirements.Target) -> Part.Target,
    closures: (Requirements.Closures) -> Part.Closures,
    policies: (Requirements.Policies) -> Part.Policies
  ) -> TargetList<Part> {
    TargetList<Part>(
      targets.map { ForwardingTarget<Part>($0, target: target, closures: closures) },
      policies(self.policies), onError)
  }
}

// SAFETY: `@unchecked`: everything is immutable; policies are `Sendable`, as `AnswerPolicy` is.
extension TargetList: @unchecked Sendable
where Requirements.WeakTarget: Sendable, Requirements.Closures: Sendable {}

/// The targets of the protocols from which a protocol inherits.
public protocol ForwarderParts {
  /// The requirements of the protocol that inherits.
  associatedtype Requirements: ForwardedRequirements

  /// Creates parts without targets.
  init()

  /// Gives the parts the targets of the whole.
  ///
  /// - Parameter list: The targets and policies.
  func replace(by list: TargetList<Requirements>)
}

/// The parts of a protocol that inherits from none.
public struct NoParts<Requirements: ForwardedRequirements>: ForwarderParts, Sendable {
  /// Creates nothing.
  public init() {}

  /// Does nothing.
  public func replace(by list: TargetList<Requirements>) {}
}
#endif
