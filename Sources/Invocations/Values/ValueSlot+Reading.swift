internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueSlot {
  /// The value as a person reads it; what its pointers point to is asked of the kernel first.
  package var readableText: String { unsafe text }

  /// The address in a slot that holds one pointer, nil for null.
  package var pointerValue: UnsafeRawPointer? { unsafe address.load(as: UnsafeRawPointer?.self) }

  /// Whether the slot refers to a block that still lies on the stack.
  package var isStackBlock: Bool {
    guard unsafe kind == .object || kind == .block, let pointer = unsafe pointer,
      unsafe kind == .block || BlockReference.isBlock(at: pointer)
    else { return false }
    return unsafe Block(unsafePointer: pointer).kind == .stack
  }
}
