internal import BlockABI
internal import TypeEncodings

/// The memory of one call's arguments and result, laid out by its interface's plan.
@unsafe
package struct CallImage: ~Copyable {
  // SAFETY: the memory belongs to this value, and has the plan's size. Slots in it are valid while
  // the value lives.

  private let interface: CallInterface
  package let memory: UnsafeMutableRawPointer

  /// Allocates zeroed memory.
  package init(_ interface: CallInterface) {
    // SAFETY: zeroed bytes are valid for every C type in the image.
    unsafe self.interface = interface
    let size = unsafe interface.plan.pointee.imageSize
    unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    unsafe setResultPointer()
  }

  deinit { unsafe memory.deallocate() }

  /// Sets the address at which the callee stores a result that is returned through memory.
  private func setResultPointer() {
    guard unsafe interface.plan.pointee.returnsThroughMemory else { return }
    let place = unsafe memory + interface.plan.pointee.memoryResultOffset
    unsafe memory.storeBytes(of: place, as: UnsafeMutableRawPointer.self)
  }

  /// The memory of an argument.
  package func slot(_ index: Int) throws(InvocationError) -> ValueSlot {
    // SAFETY: the index is checked, and the plan has the argument's offset.
    let arguments = unsafe interface.signature.arguments
    guard arguments.indices.contains(index) else {
      throw InvocationError(
        .argumentIndex,
        unsafe "there is no argument \(index): the signature \(interface.signature) lists \(arguments.count)",
        argument: index)
    }
    return unsafe ValueSlot(
      arguments[index].encoding, interface.argumentLayouts[index], .argument(index),
      at: memory + interface.plan.offset(of: index))
  }

  /// The memory of the result.
  package func resultSlot() throws(InvocationError) -> ValueSlot {
    // SAFETY: the plan has the result's offset.
    guard let layout = unsafe interface.resultLayout else {
      throw InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
    }
    return unsafe ValueSlot(
      interface.signature.result, layout, .result,
      at: interface.plan.pointee.resultAddress(memory))
  }

  /// Makes a block argument 0; the caller must retain it.
  func setReceiver(_ block: BlockReference) {
    // SAFETY: argument 0 of a block's interface is a pointer.
    let place = unsafe memory + interface.plan.offset(of: 0)
    unsafe place.storeBytes(of: block.pointer, as: UnsafeRawPointer.self)
  }

  /// Copies the arguments of another call.
  ///
  /// ## Safety
  /// The other image must have the same interface.
  func copyArguments(from other: borrowing CallImage) {
    // SAFETY: both images have the plan's size.
    unsafe memory.copyMemory(
      from: other.memory, byteCount: interface.plan.pointee.imageSize)
    unsafe setResultPointer()
  }

  /// Calls a function with the current arguments.
  ///
  /// ## Safety
  /// `function` must have the interface's signature.
  package func call(_ function: UnsafeRawPointer) {
    // SAFETY: the caller vouches for the function; the image is laid out by the interface's plan.
    unsafe interface.call(function, memory)
  }
}
