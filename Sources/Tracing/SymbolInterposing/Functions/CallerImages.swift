private import BlockRuntimeThreads
private import CSymbolInterposing.CallerImages

/// Tells whether the caller of a hooked function lies in an image that a filter selects.
@safe
final class CallerImages: Sendable {
  // SAFETY: the filter is complete before it is used, and freed with this object; its functions use
  // atomic operations.
  nonisolated(unsafe) private let images: OpaquePointer

  /// Copies a filter; nil if memory is exhausted.
  init?(_ filter: ImageFilter) {
    let ownImage = filter.excludesOwnImage ? ImageFilter.ownImage : nil
    guard let images = unsafe cbr_caller_images_create(ImageFilter.program, ownImage) else {
      return nil
    }
    unsafe self.images = unsafe images
    let areAdded =
      filter.include.allSatisfy { unsafe cbr_caller_images_add(images, $0, false) }
      && filter.exclude.allSatisfy { unsafe cbr_caller_images_add(images, $0, true) }
    if !areAdded { return nil }
  }

  deinit { unsafe cbr_caller_images_free(images) }

  /// Whether the filter selects the image that made the hooked call in progress on this thread.
  var admitsCaller: Bool {
    // SAFETY: the address is only looked up; the caller's image stays loaded during the call.
    guard let caller = unsafe ReentrancyGuard.caller else { return false }
    return unsafe cbr_caller_images_admit(
      images, caller, UInt64(truncatingIfNeeded: Interposer.shared.loadCount))
  }
}
