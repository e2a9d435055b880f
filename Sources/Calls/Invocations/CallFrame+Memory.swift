extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives: the call protects the
  // receiver, which owns the target and retains the interface.

  /// The call's receiver, unretained.
  var receiver: Unmanaged<CallReceiver> {
    unsafe target.pointee.receiver.unsafelyUnwrapped
  }

  /// The call interface, by whose plan the values are laid out.
  package var interface: CallInterface {
    unsafe receiver._withUnsafeGuaranteedRef { $0.interface }
  }

  /// Calls a closure with the call interface, which is not retained: calls on several threads share
  /// it.
  @inline(__always)
  package func withInterface<Result>(_ body: (CallInterface) -> Result) -> Result {
    unsafe receiver._withUnsafeGuaranteedRef { body($0.interface) }
  }

  /// Whether there is a result now.
  package var isResultSet: Bool { hasResult }

  /// 1 for a block, which its caller passes to its code as argument 0; else 0.
  package var blockArgumentCount: Int { unsafe Int(target.pointee.hiddenArgumentCount) }

  /// The original code, nil if there is none.
  package var originalCode: UnsafeRawPointer? {
    unsafe target.pointee.hasOriginal ? target.pointee.code : nil
  }

  /// The called block, or its copy if it has died; nil if the call is not one of a block.
  package var calledBlock: UnsafeRawPointer? {
    guard unsafe memory.hasValues, blockArgumentCount > 0 else { return nil }
    followBlock()
    return unsafe block
  }

  /// The address of the block that is called.
  ///
  /// ## Safety
  /// The call must be one of a block.
  var block: UnsafeRawPointer? {
    unsafe memory.argumentAddress(0).load(as: UnsafeRawPointer?.self)
  }

  /// If the called block has died, makes its copy argument 0.
  func followBlock() { unsafe Self.followBlock(memory, target) }

  private static func followBlock(_ memory: CallMemory, _ target: UnsafePointer<CallTarget>) {
    let copy = unsafe target.pointee.copy.pointee
    guard copy != 0 else { return }
    // SAFETY: only a block has a copy, and then argument 0 is the block.
    unsafe memory.argumentAddress(0).storeBytes(of: copy, as: UInt.self)
  }

  /// The memory of an argument.
  ///
  /// - Throws: `argumentIndex`; `noResult` or `unsupportedType` if there are no values.
  package func argumentSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    unsafe try Self.argumentSlot(index, memory, target)
  }

  private static func argumentSlot(
    _ index: Int, _ memory: CallMemory, _ target: UnsafePointer<CallTarget>
  ) throws(InvocationError) -> ValueSlot {
    if index == 0, unsafe memory.hasValues { unsafe followBlock(memory, target) }
    return unsafe try memory.argumentSlot(index)
  }

  /// Reads an argument, converted to a Swift type.
  ///
  /// The parameters are copies of the frame's properties: code that is inlined into handlers would
  /// read the properties again after each call that is given the frame itself.
  @usableFromInline
  static func loadArgument<Value>(
    _ index: Int, _ memory: CallMemory, _ target: UnsafePointer<CallTarget>
  ) throws(InvocationError) -> Value {
    let slot = unsafe try argumentSlot(index, memory, target)
    guard SwiftType.isAny(Value.self) else { return unsafe try slot.load(as: Value.self) }
    let types = unsafe target.pointee.receiver?._withUnsafeGuaranteedRef { $0.closure?.types }
    return unsafe try slot.load(as: Value.self, own: types?[argument: index])
  }
}
