private import CLoadedImages.LoadedImages

/// A reference that keeps a shared library loaded.
///
/// The release of a library's last reference runs its destructors, so no lock may be held then.
@safe
package final class LoadedImage: @unchecked Sendable {
  // SAFETY: the handle is immutable, and the loader has its own lock.
  private let image: UnsafeMutableRawPointer

  /// Retains the library that holds an address; nil if none does, or if the program itself does.
  ///
  /// The loader is called, so no lock may be held.
  ///
  /// ## Safety
  /// No other thread may unload the library that holds the address meanwhile.
  @unsafe
  package init?(holding address: UnsafeRawPointer) {
    // SAFETY: the address is only looked up.
    guard let image = unsafe cbr_keep_image(address) else { return nil }
    unsafe self.image = unsafe image
  }

  // SAFETY: the initialiser retained the image.
  deinit { unsafe cbr_give_up_image(image) }

  /// How often libraries have been unloaded; while the count is unchanged, so is the code at an
  /// address.
  package static var unloadCount: UInt64 { cbr_unload_count() }
}
