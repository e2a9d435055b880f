internal import CMessageForwarding.Messages
public import Invocations

// SAFETY, for the whole file: a list is protected until `end`, and so not freed.

/// One message's way to the targets that a proxy has at its beginning.
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
    unsafe hazard = unsafe cbr_hazard_protect_loaded(proxy.place)
    // The slot is never empty.
    unsafe address = unsafe Unmanaged.fromOpaque(
      cbr_hazard_protected(hazard).unsafelyUnwrapped)
    unsafe (count, isPlain) = unsafe address._withUnsafeGuaranteedRef {
      ($0.targets.count, $0.isPlain)
    }
  }

  /// The targets and the rules.
  var list: TargetList { unsafe address.takeUnretainedValue() }

  /// Ends it.
  @usableFromInline
  func end() {
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
  }

  /// Looks up a target, and what the message runs there.
  @usableFromInline
  func enter(_ index: Int, _ selector: Selector) -> EnteredTarget {
    unsafe address._withUnsafeGuaranteedRef { list in
      unsafe list.places[index]._withUnsafeGuaranteedRef { target in
        unsafe EnteredTarget(
          receiver: target.current, method: EnteredMethod(target.methods, selector))
      }
    }
  }
}

/// A target that a message is about to enter.
@unsafe
@usableFromInline
struct EnteredTarget {
  /// The target; nil if it is dead or was removed.
  @usableFromInline let receiver: AnyObject?

  /// What the message runs, protected until it is left.
  @usableFromInline let method: EnteredMethod
}
