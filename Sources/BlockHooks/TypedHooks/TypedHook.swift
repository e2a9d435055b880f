internal import BlockABI
internal import Invocations

/// What a typed hook adds to its place in a chain: the block that runs instead of what lies below, and
/// the block by which it reaches that.
@safe
final class TypedHook: Sendable {
  private let replacement: Block
  private let original: OriginalBlock

  /// What holds the replacement, if that is global: it stays loaded.
  private let image: LoadedImage?

  init(_ replacement: Block, _ original: OriginalBlock) {
    self.replacement = replacement
    self.original = original
    image = replacement.header.image
  }

  deinit {
    // No call is inside the hook any more; whoever kept the original gets the block's own code.
    var replaced: [CallReceiver] = []
    target.follow([], nil, &replaced)
    for receiver in replaced { HazardPointers.retire(receiver) }
  }

  /// The address of the replacement, valid while this lives.
  var replacementAddress: UnsafeRawPointer {
    unsafe replacement.withUnsafePointer { unsafe $0 }
  }

  /// What the replacement reaches as `original`.
  var target: OriginalTarget { original.target }
}
