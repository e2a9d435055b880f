private import CLoadedImages.LoadedImages

/// A shared library that stays loaded while this lives.
///
/// Whoever lets go of the last one runs the library's destructors: under no lock.
@safe
package final class LoadedImage: @unchecked Sendable {
  // SAFETY: the loader locks.
  private let image: UnsafeMutableRawPointer

  /// Keeps the library that holds an address; nil where none does, or the program itself.
  ///
  /// It calls the loader, which must be done under no lock.
  ///
  /// ## Safety
  /// The library must be loaded.
  @unsafe
  package init?(holding address: UnsafeRawPointer) {
    // SAFETY: the address is looked up only.
    guard let image = unsafe cbr_keep_image(address) else { return nil }
    unsafe self.image = unsafe image
  }

  deinit { unsafe cbr_give_up_image(image) }

  /// How often libraries have been unloaded: while that is the same, so is the code at an address.
  package static var unloadCount: UInt64 { cbr_unload_count() }
}
