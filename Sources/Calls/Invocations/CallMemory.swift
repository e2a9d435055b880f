internal import BlockABI
internal import TypeEncodings

/// The memory of one call's arguments and result, laid out by a plan.
///
/// A frame has the memory that an entry saved or that a caller filled; an invocation, and a call
/// that is being made, have memory of their own. The memory begins with the registers (see
/// `CBRCallMemory.h`); for calls through libffi it has one argument after the other.
@unsafe
@usableFromInline
package struct CallMemory {
  // SAFETY: whoever creates a value guarantees that the address and the plan are valid while it is
  // used, and that the plan lays the memory out. Memory without values is never read or written.

  @usableFromInline package let address: UnsafeMutableRawPointer
  @usableFromInline package let plan: UnsafePointer<CallPlan>

  @inlinable
  @inline(__always)
  init(_ address: UnsafeMutableRawPointer, _ plan: UnsafePointer<CallPlan>) {
    unsafe self.address = unsafe address
    unsafe self.plan = unsafe plan
  }

  /// The memory of a block's death, or of a call without a frame, which has no values.
  init(withoutValues plan: UnsafePointer<CallPlan>) {
    unsafe address = unsafe UnsafeMutableRawPointer(mutating: plan)
    unsafe self.plan = unsafe plan
  }

  /// Allocates zeroed memory for a call; `deallocate()` frees it.
  package static func allocate(_ interface: CallInterface) -> CallMemory {
    // SAFETY: zeroed bytes are valid for every C type; the interface owns the plan.
    let size = unsafe interface.plan.pointee.memorySize
    let address = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let memory = unsafe CallMemory(address, interface.plan)
    unsafe memory.setResultPointer()
    return unsafe memory
  }

  /// Runs `body` with zeroed memory for a call, on the stack unless it is large.
  static func withTemporary<Result>(
    _ interface: CallInterface, _ body: (CallMemory) -> Result
  ) -> Result {
    // SAFETY: as above; the memory is valid during the closure.
    let size = unsafe interface.plan.pointee.memorySize
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { bytes in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      let memory = unsafe CallMemory(bytes.baseAddress.unsafelyUnwrapped, interface.plan)
      unsafe memory.setResultPointer()
      return unsafe body(memory)
    }
  }

  /// Frees memory that `allocate` returned.
  package func deallocate() { unsafe address.deallocate() }

  /// Whether there are values: not at a block's death, nor in a call without a frame.
  var hasValues: Bool { unsafe plan.pointee.interface != nil }

  /// The memory of an argument.
  ///
  /// - Throws: `argumentIndex`; `noResult` or `unsupportedType` if there are no values.
  package func argumentSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard let interface = unsafe plan.pointee.interface else { throw unsafe noValues }
    let slot = unsafe interface._withUnsafeGuaranteedRef { interface -> ValueSlot? in
      guard interface.argumentLayouts.indices.contains(index) else { return nil }
      return unsafe argumentSlot(index, of: interface)
    }
    if let slot = unsafe slot { return unsafe slot }
    let signature = unsafe interface.takeUnretainedValue().signature
    throw InvocationError(
      .argumentIndex,
      "there is no argument \(index): the signature \(signature) lists \(signature.arguments.count)",
      argument: index)
  }

  /// The memory of an argument that exists, in a call of the interface that owns the plan.
  @inline(__always)
  func argumentSlot(_ index: Int, of interface: CallInterface) -> ValueSlot {
    unsafe ValueSlot(
      interface.signature.arguments[index].encoding, interface.argumentLayouts[index],
      .argument(index), at: argumentAddress(index))
  }

  /// The memory of the result.
  ///
  /// - Throws: `noResult`; `unsupportedType` in a call without a frame.
  package func resultSlot() throws(InvocationError) -> ValueSlot {
    guard let interface = unsafe plan.pointee.interface else { throw unsafe noValues }
    let slot = unsafe interface._withUnsafeGuaranteedRef { interface -> ValueSlot? in
      guard let layout = interface.resultLayout else { return nil }
      return unsafe ValueSlot(interface.signature.result, layout, .result, at: resultAddress)
    }
    if let slot = unsafe slot { return unsafe slot }
    throw unsafe noResult(interface)
  }

  /// Reads an argument, converted to a Swift type.
  @usableFromInline
  package func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    unsafe try argumentSlot(index).load(as: Value.self)
  }

  /// The address of an argument, which must exist.
  package func argumentAddress(_ index: Int) -> UnsafeMutableRawPointer {
    unsafe address + plan.offset(of: index)
  }

  /// The address of the result; there must be one.
  package var resultAddress: UnsafeMutableRawPointer { unsafe plan.pointee.resultAddress(address) }

  /// The refusal to read a result before there is one.
  var noResultYet: InvocationError {
    guard let interface = unsafe plan.pointee.interface else { return unsafe noValues }
    return unsafe interface.takeUnretainedValue().resultLayout == nil
      ? noResult(interface)
      : InvocationError(
        .noResult, "there is no result yet: set one, proceed, or read it in the position `after`")
  }

  private func noResult(_ interface: Unmanaged<CallInterface>) -> InvocationError {
    let signature = unsafe interface.takeUnretainedValue().signature
    return InvocationError(.noResult, "\(signature) returns nothing")
  }

  private var noValues: InvocationError {
    unsafe plan == CallPlan.ofDeath
      ? InvocationError(
        .noResult, "the block is dying, and not being called: there are no values to read")
      : InvocationError(
        .unsupportedType,
        "the call has no frame, because the block's signature is unknown; give the block's true "
          + "signature with `assuming(signature:)` to read arguments and the result")
  }

  /// Sets an argument to a value of its type, which the caller has checked.
  @inlinable
  @inline(__always)
  func set<Value>(_ value: Value, at index: Int) -> CallMemory {
    unsafe ScalarKind.store(value, at: address + Int(plan.place(index).pointee.offset))
    return unsafe self
  }

  /// Makes a block argument 0; the caller must retain it.
  func setBlock(_ block: BlockReference) {
    unsafe argumentAddress(0).storeBytes(of: block.pointer, as: UnsafeRawPointer.self)
  }

  /// Makes an object argument 0 and a selector argument 1 of a message; the caller must retain the
  /// object.
  package func setMessage(_ receiver: AnyObject?, _ selector: Selector) {
    unsafe argumentAddress(0).storeBytes(
      of: receiver.map { unsafe Unmanaged.passUnretained($0).toOpaque() },
      as: UnsafeMutableRawPointer?.self)
    unsafe argumentAddress(1).storeBytes(of: selector.address, as: UnsafeRawPointer.self)
  }

  /// Copies the arguments of another call of the same interface; both have memory of their own.
  func copyArguments(from other: CallMemory) {
    unsafe address.copyMemory(from: other.address, byteCount: plan.pointee.memorySize)
    unsafe setResultPointer()
  }

  /// Copies the result of another call with the same type of result.
  ///
  /// - Returns: False if there is no result.
  func copyResult(from other: CallMemory) -> Bool {
    guard let own = unsafe try? resultSlot(), let result = unsafe try? other.resultSlot() else {
      return false
    }
    unsafe own.address.copyMemory(from: result.address, byteCount: own.layout.size)
    return true
  }

  /// Sets the address at which the callee stores a result that is returned through memory.
  private func setResultPointer() {
    guard unsafe plan.pointee.returnsThroughMemory else { return }
    let place = unsafe address + plan.pointee.memoryResultOffset
    unsafe (address + CallPlan.resultAddressOffset).storeBytes(
      of: place, as: UnsafeMutableRawPointer.self)
  }

  /// Calls a function with the current arguments, and stores the result.
  ///
  /// ## Safety
  /// `function` must have the interface's signature.
  package func call(_ function: UnsafeRawPointer) {
    if unsafe plan.pointee.lacksRegisters { return unsafe callWithoutRegisters(function) }
    unsafe plan.call(function, address)
  }

  @inline(never)
  private func callWithoutRegisters(_ function: UnsafeRawPointer) {
    if let tuple = unsafe plan.pointee.tuple {
      unsafe tuple._withUnsafeGuaranteedRef { tuple in
        unsafe tuple.withRegisters(of: self) { unsafe $0.call(function) }
      }
    } else if let interface = unsafe plan.pointee.interface {
      unsafe interface._withUnsafeGuaranteedRef { unsafe $0.foreign?.call(function, address, plan) }
    }
  }
}
