internal import CInvocations.HazardPointers
internal import Invocations

/// The hazard pointer of an entered call: it protects the call's receiver, and says which handler
/// is running; if none is, it is idle.
extension CallFrame {
  // SAFETY: an entered call's hazard pointer ends at `hazardEnd`, and is in use while the frame
  // lives.
  /// The hazard pointer by which the call protects its receiver; nil if its caller protects that.
  @inline(__always)
  var hazard: UnsafeMutablePointer<cbr_hazard>? {
    unsafe hazardEnd.map { unsafe $0.assumingMemoryBound(to: cbr_hazard.self) - 1 }
  }

  /// The hazard pointer, if handlers may run under it now.
  ///
  /// Inside of an outermost instead-handler the hazard pointer is not idle: it says that this
  /// handler is running.
  @inline(__always)
  var idleHazard: UnsafeMutablePointer<cbr_hazard>? {
    guard let hazard = unsafe hazard, unsafe cbr_hazard_is_idle(hazard) else { return nil }
    return unsafe hazard
  }

  /// Makes the hazard pointer idle: it only protects the receiver.
  @inline(__always)
  func makeHazardIdle() {
    if let hazard = unsafe hazard, unsafe cbr_hazard_protect_only(hazard) {
      unsafe HazardPointers.cleared(hazard)
    }
  }
}
