private import CBlockABI.BlockLiteral

extension Block {
  /// The flags of a block's header, with the bits that the Block ABI assigns.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The flags word; `Block.flags` omits the reference count and the deallocating bit.
    public let rawValue: UInt32

    /// Creates a set from a header's flags word.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The block is on the stack and was passed to a function that does not store it; it is also
    /// marked as global, so that copying it does nothing.
    public static let isNoEscape = Flags(rawValue: 1 << 23)
    /// The block was copied to the heap and is reference counted.
    public static let needsFree = Flags(rawValue: 1 << 24)
    /// The descriptor has copy and dispose helpers.
    public static let hasCopyDispose = Flags(rawValue: 1 << 25)
    /// The block captures nothing and is part of the image, unless `isNoEscape` is set as well.
    public static let isGlobal = Flags(rawValue: 1 << 28)
    /// The result is returned through a hidden pointer, which is the first argument; never set on
    /// AArch64, where such a pointer has a register of its own.
    public static let usesStructReturn = Flags(rawValue: 1 << 29)
    /// The descriptor has a signature.
    public static let hasSignature = Flags(rawValue: 1 << 30)
    /// The descriptor has an extended capture layout.
    public static let hasExtendedLayout = Flags(rawValue: 1 << 31)
  }

  /// Whether the flags say that the result is returned through a hidden pointer; nil if they say
  /// nothing: without a signature, and on processors where compilers never set the flag.
  package var structReturnFlag: Bool? {
    let flags = flags
    guard Flags.areSetForStructReturn, flags.contains(.hasSignature) else { return nil }
    return flags.contains(.usesStructReturn)
  }

  /// The memory that holds a block.
  public enum Kind: String, Hashable, Sendable {
    /// The image, for as long as it is loaded.
    case global
    /// The stack frame of the function that made the block.
    case stack
    /// The heap; the block is reference counted.
    case heap
  }

  /// The block's flags.
  public var flags: Flags {
    // SAFETY: the reference keeps the block alive.
    let referenceCount: UInt32 = 0xFFFF
    return Flags(rawValue: unsafe cbr_block_flags(reference.pointer) & ~referenceCount)
  }

  /// The memory that holds the block.
  public var kind: Kind { flags.kind }

  /// The size of the block in bytes, captures included.
  ///
  /// The corresponding function is `Block_size`.
  public var size: Int {
    // SAFETY: the reference keeps the block alive, and the block its descriptor.
    unsafe Int(cbr_block_descriptor(reference.pointer).pointee.size)
  }

  /// The address of the code that runs when the block is called now.
  public var invokeAddress: UnsafeRawPointer {
    // SAFETY: the reference keeps the block alive.
    unsafe cbr_block_invoke(reference.pointer)
  }
}

extension Block.Flags {
  /// The memory that holds a block with these flags.
  var kind: Block.Kind {
    if contains(.isNoEscape) { return .stack }
    if contains(.isGlobal) { return .global }
    return contains(.needsFree) ? .heap : .stack
  }

  /// Whether compilers set `usesStructReturn`.
  static var areSetForStructReturn: Bool {
    #if arch(arm64)
    false
    #else
    true
    #endif
  }
}
