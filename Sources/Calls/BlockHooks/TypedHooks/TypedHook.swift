internal import BlockABI
internal import Invocations

/// The blocks of a typed hook: the replacement, which runs instead of the inner hooks and the
/// original, and the twin by which the replacement can call them.
@safe
final class TypedHook: Sendable {
  private let replacement: Block
  private let original: OriginalBlock

  /// The image of a global replacement, which stays loaded while the hook exists; nil otherwise.
  private let image: LoadedImage?

  init(_ replacement: Block, _ original: OriginalBlock) {
    self.replacement = replacement
    self.original = original
    image = replacement.header.image
  }

  deinit {
    // No call is inside the hook any more: its original, if still retained, runs the block's own
    // code.
    var replaced: [CallReceiver] = []
    target.follow([], nil, &replaced)
    for receiver in replaced { HazardPointers.retire(receiver) }
  }

  // SAFETY: this object retains the replacement.
  /// The address of the replacement, valid while this object lives.
  var replacementAddress: UnsafeRawPointer {
    unsafe replacement.withUnsafePointer { unsafe $0 }
  }

  /// The hooks and the code that the replacement's `original` runs.
  var target: OriginalTarget { original.target }
}
