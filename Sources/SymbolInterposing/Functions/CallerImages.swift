private import CBlockRuntime.ImportSlots
internal import Invocations
private import Locks

/// Which of the places that call a function lie in images that are meant.
final class CallerImages: Sendable {
  private let images: ImageFilter
  private let known = Locked<[UInt: Bool]>([:])

  init(_ images: ImageFilter) { self.images = images }

  /// Whether the hooked call that the thread is inside of is one of them.
  var admitsCaller: Bool { ForkGate.inside { isCallerMeant } ?? false }

  private var isCallerMeant: Bool {
    // SAFETY: the address is only looked up.
    guard let caller = unsafe InterposedCalls.caller else { return false }
    let address = UInt(bitPattern: caller)
    if let isAdmitted = known.withLock({ $0[address] }) { return isAdmitted }
    // SAFETY: the caller's object stays loaded while it calls.
    let path = unsafe cbr_image_of(caller).map { unsafe String(cString: $0) }
    let isAdmitted =
      path.map { images.admits($0.isEmpty ? ImageFilter.program : $0) } ?? false
    known.withLock { $0[address] = isAdmitted }
    return isAdmitted
  }
}
