public import BlockABI
internal import CInvocations.HazardPointers
internal import TypeEncodings

/// Code of a function that calls a block: it inserts the block before the arguments, and jumps to
/// the block's code.
@safe
final class BlockCallingCode: Sendable {
  // SAFETY: the entry is written before the stub has its address, never changed, and freed in
  // `deinit`, when the code must not be called any more. It refers to the block, which this object
  // retains.
  private let block: Block
  private nonisolated(unsafe) let entry: UnsafeMutablePointer<cbr_block_call>
  private let stub: FunctionStub

  /// The address of the code.
  var code: UnsafeRawPointer { unsafe stub.code }

  /// Makes code for a signature; nil if inserting the block takes more than to shift the integer
  /// registers, or if the system refuses the memory.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - function: The interface of the code: the block's without the block.
  init?(calling block: Block, _ function: CallInterface) {
    guard let own = try? block.callInterface, Self.isShift(from: function, to: own) else {
      return nil
    }
    // SAFETY: the block's code has its signature, which is the code's after the shift.
    let entry = UnsafeMutablePointer<cbr_block_call>.allocate(capacity: 1)
    unsafe entry.initialize(
      to: cbr_block_call(
        code: cbr_block_calling_code(function.plan.pointee.returnsThroughMemory),
        block: block.reference.pointer))
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(entry)) else {
      unsafe entry.deallocate()
      return nil
    }
    unsafe self.entry = unsafe entry
    self.block = block
    self.stub = stub
  }

  deinit { unsafe entry.deallocate() }

  /// Whether the arguments of a block's call are in the registers of the function's call, but for
  /// the integers, which are one register further.
  private static func isShift(from function: CallInterface, to block: CallInterface) -> Bool {
    guard function.engine == .plans, block.engine == .plans else { return false }
    // SAFETY: the interfaces own the plans.
    let (less, more) = unsafe (function.plan, block.plan)
    guard unsafe more.pointee.stackBytes == 0 else { return false }
    return (0..<function.argumentCount).allSatisfy { index in
      let (from, to) = unsafe (less.place(index).pointee, more.place(index + 1).pointee)
      let shift = from.scalar == .float || from.scalar == .double ? 0 : MemoryLayout<UInt>.size
      return from.scalar != .none && from.scalar == to.scalar
        && to.offset == from.offset + Int32(shift)
    }
  }
}

extension FunctionPointer {
  /// Makes a function pointer that calls a block, with the same parameters and result.
  ///
  /// The block's types give the signature, and nothing is checked at a call: if the parameters are
  /// numbers and pointers in registers, the code inserts the block before them and jumps to the
  /// block's code. The block's hooks run, those installed later too. Such a call counts no
  /// references: this object must live until all calls have returned.
  ///
  /// ```swift
  /// let compare: @convention(block) (UnsafeRawPointer, UnsafeRawPointer) -> Int32 = {
  ///   unsafe $0.load(as: Int32.self) < $1.load(as: Int32.self) ? -1 : 1
  /// }
  /// let pointer = try FunctionPointer(calling: Block(compare))
  /// ```
  ///
  /// - Parameter block: The block; it must be safe to call from every thread that calls the
  ///   function.
  /// - Throws: `noSignature`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`.
  public convenience init(calling block: Block) throws(InvocationError) {
    let block = block.copied()
    let own = try block.callInterface
    let function = try CallInterface.cached(for: own.signature.withoutBlock)
    if let code = BlockCallingCode(calling: block, function) {
      unsafe self.init(function, code.code, owner: code)
      return
    }
    let indices = Array(0..<function.argumentCount)
    // SAFETY: the function's parameters are the block's.
    let entry = try CallHandler.makeEntry(
      function, hiddenArgumentCount: 0, onError: reportHandlerError
    ) { call in unsafe call.call(block, own, passing: indices) }
    unsafe self.init(function, entry.code, owner: entry)
  }

  /// Whether the code jumps to a block's, without a frame.
  package var jumpsToBlock: Bool { owner is BlockCallingCode }
}

extension MethodSignature {
  /// A block's signature without the block itself.
  fileprivate var withoutBlock: MethodSignature {
    MethodSignature(
      result: result, arguments: arguments.dropFirst().map { .init($0.encoding) })
  }
}
