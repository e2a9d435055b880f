private import BlockABI
private import BlockRuntimeThreads
internal import Invocations

/// Tells whether the caller of a hooked function lies in an image that a filter selects.
final class CallerImages: Sendable {
  private let images: ImageFilter

  /// The results since objects were last loaded, by return address.
  private struct Known: Sendable {
    var loadCount = 0
    var isAdmitted: [UInt: Bool] = [:]
  }

  private let known = Locked(Known())

  init(_ images: ImageFilter) { self.images = images }

  /// Whether the filter selects the image that made the hooked call in progress on this thread.
  var admitsCaller: Bool { ForkGate.inside { isCallerMeant } ?? false }

  private var isCallerMeant: Bool {
    // SAFETY: the address is only looked up.
    guard let caller = unsafe ReentrancyGuard.caller else { return false }
    let address = UInt(bitPattern: caller)
    let loadCount = Interposer.shared.loadCount
    let isKnown = known.withLock { $0.loadCount == loadCount ? $0.isAdmitted[address] : nil }
    if let isKnown { return isKnown }
    // SAFETY: the caller's image stays loaded during the call.
    let path = unsafe CodeSymbol.imagePath(at: caller)
    let isAdmitted =
      path.map { images.admits($0.isEmpty ? ImageFilter.program : $0) } ?? false
    let dropped = known.withLock { known in
      let dropped = known.loadCount == loadCount ? [:] : known.isAdmitted
      if known.loadCount != loadCount { known = Known(loadCount: loadCount) }
      known.isAdmitted[address] = isAdmitted
      return dropped
    }
    withExtendedLifetime(dropped) {}
    return isAdmitted
  }
}
