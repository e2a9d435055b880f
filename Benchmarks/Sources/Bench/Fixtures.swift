import BlockRuntime
import CBaselines

// SAFETY, for the whole file: the C functions have the signatures given, and live as long as the
// program; a new block comes with one reference.

/// Something of C's that cannot be had.
struct MissingFixture: Error, CustomStringConvertible {
  let description: String
}

/// The code of a C function of `cbl_add`'s type, `int32_t (int32_t, double)`.
@safe
struct AddCode {
  private let address: UnsafeRawPointer
  private let owner: AnyObject?

  /// Takes a function.
  ///
  /// ## Safety
  /// It must have the type, and live as long as its owner.
  @unsafe
  init(_ address: UnsafeRawPointer?, ownedBy owner: AnyObject? = nil) throws {
    unsafe self.address = unsafe try required(address)
    self.owner = owner
  }

  /// Calls the function from C and sums up.
  func sum(calling count: Int) -> Int {
    defer { withExtendedLifetime(owner) {} }
    return Int(unsafe cbl_call_add(address, Int64(count)))
  }

  /// Calls the function from C by libffi and sums up.
  func sum(callingByLibffi count: Int) -> Int {
    defer { withExtendedLifetime(owner) {} }
    return Int(unsafe cbl_ffi_call_add(address, Int64(count)))
  }
}

extension CFunction {
  /// `cbl_add`.
  static func add() throws -> CFunction {
    try unsafe CFunction(unsafeAddress: required(cbl_add_address()), signature: "iid")
  }

  /// `cbl_shift`.
  static func shift() throws -> CFunction {
    try unsafe CFunction(
      unsafeAddress: required(cbl_shift_address()), signature: "{CBLPair=dd}{CBLPair=dd}*c")
  }
}

/// A new heap block of the signature `i20@?0i8d12`.
struct AddBlock {
  /// Its type.
  typealias Add = @convention(block) (Int32, Double) -> Int32

  /// The block.
  let block: Block

  /// Makes a block.
  init() throws {
    let pointer = unsafe try required(cbl_new_add_block(0))
    block = unsafe Block(unsafePointer: pointer)
    unsafe cbl_release(pointer)
  }

  /// Calls the block from C and sums up.
  func sum(calling count: Int) -> Int {
    unsafe block.withUnsafePointer { Int(unsafe cbl_call_add_block($0, Int64(count))) }
  }

  /// Hooks the block with a libffi closure that proceeds.
  func hookByLibffi() throws {
    let isHooked = unsafe block.withUnsafePointer { unsafe cbl_ffi_hook_add_block($0) }
    guard isHooked else { throw MissingFixture(description: "libffi makes no closure") }
  }
}

extension Block {
  /// A new heap block with arguments in all registers and on the stack.
  static func wide() throws -> Block {
    let pointer = unsafe try required(cbl_new_wide_block())
    let block = unsafe Block(unsafePointer: pointer)
    unsafe cbl_release(pointer)
    return block
  }

  /// Calls a block that `wide` made from C and sums up.
  func sum(callingWide count: Int) -> Int {
    unsafe withUnsafePointer { Int(unsafe cbl_call_wide_block($0, Int64(count))) }
  }
}

/// The address, or an error where there is none.
@unsafe
func required(_ address: UnsafeRawPointer?) throws -> UnsafeRawPointer {
  guard let address = unsafe address else {
    throw MissingFixture(description: "a fixture could not be made")
  }
  return unsafe address
}
