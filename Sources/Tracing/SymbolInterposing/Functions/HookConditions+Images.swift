public import BlockHooks
internal import Invocations

extension HookConditions {
  /// The calls that are made by code of chosen images, which are programs and shared libraries.
  ///
  /// It counts as a predicate: of two both must hold. The caller is found as `call.callers` finds
  /// it, for about a microsecond a call, and where it is not found, the call skips the handler. Of
  /// an imported function, `init(_:library:version:signature:in:)` takes a choice that costs other
  /// images nothing: their calls do not reach the hooks.
  ///
  /// - Parameter images: The choice of images.
  /// - Returns: The conditions.
  public static func fromImage(_ images: ImageFilter) -> HookConditions { always.fromImage(images) }

  /// The same conditions with a choice of the calling images.
  ///
  /// - Parameter images: The choice of images.
  /// - Returns: The conditions.
  public func fromImage(_ images: ImageFilter) -> HookConditions {
    `where` { call in
      guard let path = call.callers(limit: 1).first?.imagePath else { return false }
      return images.admits(path.isEmpty ? ImageFilter.program : path)
    }
  }
}
