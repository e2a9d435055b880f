private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
public import TypeEncodings

// SAFETY, for the whole file: a reference keeps its block alive, but for a stack block, which its
// initialiser's caller keeps.

/// A block of the Block ABI: one reference to it, its flags, its signature and its implementation.
///
/// `Block` is the safe box for blocks: on Linux a `@convention(block)` value must not be put into
/// `Any`, a generic collection or a generic class, a `Block` may. Two blocks are equal if they are
/// the same block in memory.
///
/// A block may be used from any thread if its code allows that; the compiler cannot check it.
///
/// Specification: <https://clang.llvm.org/docs/Block-ABI-Apple.html>.
public struct Block: @unchecked Sendable {
  // SAFETY: the reference is immutable, and the runtime counts references atomically.
  package let reference: BlockReference

  /// The signature given in place of the block's own.
  let assumedSignature: MethodSignature?

  /// Whether hooks of this value observe calls without a frame.
  package let isUnframed: Bool

  private init(
    reference: BlockReference, assumedSignature: MethodSignature? = nil, isUnframed: Bool = false
  ) {
    self.reference = reference
    self.assumedSignature = assumedSignature
    self.isUnframed = isUnframed
  }

  /// Refers to the block that a `@convention(block)` value is.
  ///
  /// - Parameter block: A block; anything else, a native closure included, is refused.
  /// - Throws: `notABlock`.
  @_transparent
  public init<Value>(_ block: borrowing Value) throws(BlockError) {
    try Block.requireBlockType(Value.self)
    // SAFETY: a value of a block type is one pointer to the block. Reading it in place makes no
    // generic copy, which a block type does not survive on Linux.
    let pointer = unsafe Swift.withUnsafePointer(to: block) {
      unsafe UnsafeRawPointer($0).load(as: UnsafeRawPointer.self)
    }
    unsafe self.init(unsafePointer: pointer)
  }

  /// Refers to the block at an address.
  ///
  /// A global or heap block is retained. A stack block is neither copied nor retained; make
  /// `copied()` of it to keep it.
  ///
  /// ## Safety
  /// `pointer` must be the address of a block, which lives at least for the duration of this call;
  /// a stack block must outlive every use of the result.
  @unsafe
  public init(unsafePointer pointer: UnsafeRawPointer) {
    self.init(reference: unsafe BlockReference(retaining: pointer))
  }

  /// Takes over one reference to the heap block at an address.
  @unsafe
  package init(adopting pointer: UnsafeRawPointer) {
    self.init(reference: unsafe BlockReference(adopting: pointer))
  }

  /// Copies a stack block to the heap; any other block is its own copy.
  ///
  /// The corresponding function is `_Block_copy`.
  public func copied() -> Block {
    let copy = unsafe Block(adopting: reference.retainedPointer())
    return Block(
      reference: copy.reference, assumedSignature: assumedSignature, isUnframed: isUnframed)
  }

  /// Calls `body` with the block's address, which is valid until `body` returns.
  ///
  /// - Parameter body: Receives the address; to keep it longer, `_Block_copy` it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func withUnsafePointer<Result, Failure: Error>(
    _ body: (UnsafeRawPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = unsafe try body(reference.pointer)
    withExtendedLifetime(reference) {}
    return result
  }
}

extension Block: Hashable {
  /// Whether both are the same block in memory.
  public static func == (left: Block, right: Block) -> Bool {
    unsafe left.reference.pointer == right.reference.pointer
  }

  /// Hashes the block's address.
  public func hash(into hasher: inout Hasher) {
    unsafe hasher.combine(reference.pointer)
  }
}

extension Block {
  /// The block's type encoding as the compiler wrote it, nil if it wrote none.
  ///
  /// The corresponding function is `_Block_signature`.
  public var encoding: String? {
    // SAFETY: the reference keeps the block alive; its signature is a C string that is never freed
    // before the block.
    guard let signature = unsafe cbr_block_signature(reference.pointer) else { return nil }
    return unsafe String(cString: signature)
  }

  /// Keeps an object that belongs to the block's own signature, unless another is assumed.
  package func keep(_ object: any AnyObject & Sendable) {
    if assumedSignature == nil { reference.keep(object) }
  }

  /// What is kept, valid while the reference lives; nil where another signature is assumed.
  package var kept: UnsafeRawPointer? { assumedSignature == nil ? unsafe reference.kept : nil }

  /// The type encoding as the compiler wrote it, unless another signature is assumed.
  package var ownEncoding: String? { assumedSignature == nil ? encoding : nil }

  /// Where the block holds the address of its code, valid while the block lives.
  package var invokePlace: UnsafePointer<UnsafeRawPointer> {
    // SAFETY: a block's literal begins with its header.
    unsafe UnsafeRawPointer(cbr_block_invoke_place(reference.pointer)).assumingMemoryBound(
      to: UnsafeRawPointer.self)
  }

  /// The block's signature: the assumed one, else what its type encoding says; nil if it has none.
  ///
  /// - Complexity: The type encoding is parsed each time.
  /// - Throws: `invalidSignature` if the block's type encoding is malformed or not a block's.
  public var signature: MethodSignature? {
    get throws(BlockError) {
      if let assumedSignature { return assumedSignature }
      guard let encoding else { return nil }
      return try Block.parseSignature(encoding)
    }
  }

  /// The same block with a signature given by the caller, for blocks with none or a wrong one.
  ///
  /// ## Safety
  /// The signature must be the true one: every later call and hook trusts it.
  ///
  /// - Parameter encoding: A block's type encoding, such as `i@?id`; argument 0 is the block.
  /// - Returns: The block, which calls and hooks take by that signature.
  /// - Throws: `invalidSignature`.
  @unsafe
  public func assuming(signature encoding: String) throws(BlockError) -> Block {
    Block(
      reference: reference, assumedSignature: try Block.parseSignature(encoding),
      isUnframed: isUnframed)
  }

  /// The same block, whose hooks observe its calls without a frame: what a caller passes reaches the
  /// block as it is, whatever the signature says.
  ///
  /// That is for blocks of any number of arguments, which their encoding does not tell: hooks that
  /// frame their calls pass on what the signature lists. Hooks of this value run before and after the
  /// block and at its death, cannot read arguments or results, and cost more than those with a frame. Of
  /// such calls inside each other in a thread 64 are seen, and further ones pass unobserved.
  public var unframed: Block {
    Block(reference: reference, assumedSignature: assumedSignature, isUnframed: true)
  }

  /// The same block, with the signature and the manner of hooks of another value.
  func hooked(as other: Block) -> Block {
    Block(
      reference: reference, assumedSignature: other.assumedSignature, isUnframed: other.isUnframed)
  }

  /// The signature for a call or a hook.
  ///
  /// - Throws: `noSignature`, `invalidSignature`.
  package func requireSignature() throws(BlockError) -> MethodSignature {
    if let signature = try signature { return signature }
    throw BlockError(
      .noSignature,
      "the block carries no type encoding; give one with `assuming(signature:)`")
  }

  /// Parses a block's type encoding.
  private static func parseSignature(_ encoding: String) throws(BlockError) -> MethodSignature {
    let signature: MethodSignature
    do {
      signature = try MethodSignature(parsing: encoding)
    } catch {
      throw BlockError(.invalidSignature, error.message, underlying: error)
    }
    guard signature.form == .block else {
      throw BlockError(
        .invalidSignature,
        "\(encoding) is not a block's signature: its argument 0 must be the block, written @?")
    }
    return signature
  }
}
