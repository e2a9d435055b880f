private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
public import TypeEncodings

/// A block of the Block ABI: one reference to it, its flags, its signature and its implementation.
///
/// A `Block` holds a block safely: on Linux a `@convention(block)` value must not be put into
/// `Any`, a generic collection or a generic class, but a `Block` may. Two blocks are equal if they
/// are the same block in memory.
///
/// A block may be used from any thread if its code allows that; the compiler cannot check it.
///
/// Specification: <https://clang.llvm.org/docs/Block-ABI-Apple.html>.
public struct Block: Sendable {
  /// Keeps the block alive, except for a stack block, which the caller of the initialiser keeps
  /// alive.
  package let reference: BlockReference

  /// A signature that replaces the block's own.
  private(set) var assumedSignature: MethodSignature?

  /// Whether hooks of this value observe calls without a frame, as `unframed` describes.
  package private(set) var isUnframed = false

  /// Whether callers may pass more arguments than the signature lists, which an encoding does not
  /// say.
  package private(set) var isVariadic = false

  /// Refers to the block in a `@convention(block)` value.
  ///
  /// - Parameter block: A block; any other value, including a native closure, is refused.
  /// - Throws: `notABlock`.
  @_transparent
  public init<Value>(_ block: borrowing Value) throws(BlockError) {
    try Block.requireBlockType(Value.self)
    // SAFETY: a value of a block type is one pointer to the block. It is read in place, because a
    // block type does not survive a generic copy on Linux.
    let pointer = unsafe Swift.withUnsafePointer(to: block) {
      unsafe UnsafeRawPointer($0).load(as: UnsafeRawPointer.self)
    }
    unsafe self.init(unsafePointer: pointer)
  }

  /// Refers to the block at an address.
  ///
  /// A global or heap block is retained. A stack block is neither copied nor retained; use
  /// `copied()` to store it.
  ///
  /// ## Safety
  /// `pointer` must be the address of a block that is alive during this call; a stack block must
  /// outlive every use of the result.
  @unsafe
  public init(unsafePointer pointer: UnsafeRawPointer) {
    reference = unsafe BlockReference(retaining: pointer)
  }

  /// Adopts one reference to the heap block at an address.
  @unsafe
  package init(adopting pointer: UnsafeRawPointer) {
    reference = unsafe BlockReference(adopting: pointer)
  }

  /// Copies a stack block to the heap; any other block is its own copy.
  ///
  /// The corresponding function is `_Block_copy`.
  public func copied() -> Block {
    unsafe Block(adopting: reference.retainedPointer()).withSettings(of: self)
  }

  /// Calls `body` with the block's address, which is valid until `body` returns.
  ///
  /// - Parameter body: Receives the address; `_Block_copy` extends the block's lifetime.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
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
  /// The block's type encoding as the compiler wrote it, nil if there is none.
  ///
  /// The corresponding function is `_Block_signature`.
  public var encoding: String? {
    // SAFETY: the signature is a C string that is not freed before the block.
    guard let signature = unsafe cbr_block_signature(reference.pointer) else { return nil }
    return unsafe String(cString: signature)
  }

  /// Stores an object that was made from the block's own signature, such as its call interface, for
  /// as long as the reference lives; does nothing if another signature is assumed.
  package func storeWithSignature(_ object: any AnyObject & Sendable) {
    if assumedSignature == nil, !isVariadic { reference.storeOnce(object) }
  }

  /// The object that `storeWithSignature` stored, valid while the reference lives; nil if another
  /// signature is assumed.
  package var storedWithSignature: UnsafeRawPointer? {
    assumedSignature == nil && !isVariadic ? unsafe reference.stored : nil
  }

  /// The type encoding as the compiler wrote it, unless another signature is assumed.
  package var ownEncoding: String? { assumedSignature == nil ? encoding : nil }

  /// The address of the block's invoke pointer, valid while the block lives.
  package var invokePlace: UnsafePointer<UnsafeRawPointer> {
    // SAFETY: the invoke pointer is a member of the header with which a block begins.
    unsafe UnsafeRawPointer(cbr_block_invoke_place(reference.pointer)).assumingMemoryBound(
      to: UnsafeRawPointer.self)
  }

  /// The block's signature: the assumed one, or else that of its type encoding; nil if it has none.
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

  /// Returns the same block with a signature given by the caller, for blocks without one or with a
  /// wrong one.
  ///
  /// ## Safety
  /// The signature must be the true one: every later call and hook relies on it.
  ///
  /// - Parameter encoding: A block's type encoding, such as `i@?id`; argument 0 is the block.
  /// - Returns: The block, whose calls and hooks use that signature.
  /// - Throws: `invalidSignature`.
  @unsafe
  public func assuming(signature encoding: String) throws(BlockError) -> Block {
    var block = self
    block.assumedSignature = try Block.parseSignature(encoding)
    return block
  }

  /// Returns the same block with the signature that a declaration in C gives, for blocks whose
  /// encoding lacks a type, such as a vector.
  ///
  /// ## Safety
  /// The same rules hold as for `assuming(signature:)`.
  ///
  /// - Parameters:
  ///   - declaration: The declaration of the block, such as `float (^)(float, __m128)`; see
  ///     `MethodSignature.init(declaration:types:)`.
  ///   - types: Swift types that the declaration names.
  /// - Returns: The block, whose calls and hooks use that signature.
  /// - Throws: `invalidSignature`, with the declaration's error.
  @unsafe
  public func assuming(
    declaration: String, types: [Any.Type] = []
  ) throws(BlockError) -> Block {
    let (signature, isVariadic): (MethodSignature, Bool)
    do throws(TypeEncodingError) {
      let declared = try CDeclaration(declaration, types: types)
      signature = try declared.requiredSignature(of: declaration)
      isVariadic = declared.fixedArgumentCount != nil
    } catch { throw BlockError(.invalidSignature, error.message, underlying: error) }
    var block = try unsafe assuming(signature: signature.description)
    block.isVariadic = isVariadic && !block.isUnframed
    return block
  }

  /// The same block, to which callers may pass more arguments than its signature lists, as to one
  /// that is declared `int (^)(int, ...)`.
  ///
  /// The block's encoding does not say that. Hooks of this value read such arguments by
  /// `call.variadic`; hooks of the block itself would pass on only the arguments that the signature
  /// lists.
  public var variadic: Block {
    var block = self
    (block.isUnframed, block.isVariadic) = (false, true)
    return block
  }

  /// The same block, whose hooks observe its calls without a frame: all arguments of the caller
  /// reach the block unchanged, whatever the signature says.
  ///
  /// This is for blocks with a variable number of arguments, which their encoding does not express:
  /// hooks with a frame pass on only the arguments that the signature lists. Hooks of this value
  /// run before and after the block and at its death, cannot read arguments or results, and cost
  /// more than hooks with a frame. At most 64 nested calls are observed per thread; further ones
  /// pass unobserved.
  public var unframed: Block {
    var block = self
    (block.isUnframed, block.isVariadic) = (true, false)
    return block
  }

  /// Returns the same block with the assumed signature and the kind of hooks of another value.
  func withSettings(of other: Block) -> Block {
    var block = self
    block.assumedSignature = other.assumedSignature
    (block.isUnframed, block.isVariadic) = (other.isUnframed, other.isVariadic)
    return block
  }

  /// Returns the signature for a call or a hook.
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

extension Block: CustomStringConvertible {
  /// The kind, the type encoding and the implementation's name.
  public var description: String {
    let name = implementation?.name ?? "?"
    return "<\(kind.rawValue) block \(encoding ?? "without signature") \(name)>"
  }
}
