internal import CMessageForwarding.Messages
public import Invocations

// SAFETY: a hazard pointer protects the list until `end`, which must be called once, on the same
// thread.
/// The dispatch of one message to the targets that a proxy has when it begins.
@unsafe
@usableFromInline
struct TargetDispatch {
  private let hazard: UnsafeMutablePointer<cbr_hazard>
  private let address: Unmanaged<TargetList>

  /// How many targets there are.
  @usableFromInline let count: Int

  /// Whether all messages have the automatic policy.
  @usableFromInline let isPlain: Bool

  /// Begins a dispatch.
  @usableFromInline
  init(_ proxy: MultiTargetProxy) {
    // SAFETY: the proxy's slot is never empty; the caller retains the proxy.
    unsafe hazard = unsafe cbr_hazard_protect_loaded(proxy.place)
    unsafe address = unsafe Unmanaged.fromOpaque(
      cbr_hazard_protected(hazard).unsafelyUnwrapped)
    unsafe (count, isPlain) = unsafe address._withUnsafeGuaranteedRef {
      ($0.targets.count, $0.isPlain)
    }
  }

  /// The targets and the rules.
  var list: TargetList { unsafe address.takeUnretainedValue() }

  /// Ends the dispatch.
  @usableFromInline
  func end() {
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
  }

  /// Looks up the target at an index, and the implementation that the message runs there.
  @usableFromInline
  func enter(_ index: Int, _ selector: Selector) -> EnteredTarget {
    // SAFETY: the index is less than `count`; the protected list retains its targets.
    unsafe address._withUnsafeGuaranteedRef { list in
      unsafe list.places[index]._withUnsafeGuaranteedRef { target in
        unsafe EnteredTarget(
          receiver: target.current,
          method: EnteredMethod(target.methods, selector, for: target.object))
      }
    }
  }
}

/// A target to which a message is about to be sent.
@unsafe
@usableFromInline
struct EnteredTarget {
  /// The target; nil if it is dead or was removed.
  @usableFromInline let receiver: AnyObject?

  /// The implementation that the message runs, protected until `leave`.
  @usableFromInline let method: EnteredMethod
}
