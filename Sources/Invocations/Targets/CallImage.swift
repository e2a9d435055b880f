internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: the memory is the image's own, laid out by its interface.

/// The memory of one call's arguments and result, laid out as its interface's plan says.
@unsafe
package struct CallImage: ~Copyable {
  private let interface: CallInterface
  package let memory: UnsafeMutableRawPointer

  /// Allocates zeroed memory.
  package init(_ interface: CallInterface) {
    unsafe self.interface = interface
    let size = unsafe interface.plan.pointee.imageSize
    unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    unsafe setResultPointer()
  }

  deinit { unsafe memory.deallocate() }

  /// Where the callee puts a result that travels through memory.
  private func setResultPointer() {
    guard unsafe interface.plan.pointee.returnsThroughMemory else { return }
    let place = unsafe memory + interface.plan.pointee.memoryResultOffset
    unsafe memory.storeBytes(of: place, as: UnsafeMutableRawPointer.self)
  }

  /// The memory of an argument.
  package func slot(_ index: Int) throws(InvocationError) -> ValueSlot {
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
    guard let layout = unsafe interface.resultLayout else {
      throw InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
    }
    return unsafe ValueSlot(
      interface.signature.result, layout, .result,
      at: interface.plan.pointee.resultAddress(memory))
  }

  /// Makes a block, which the caller keeps alive, argument 0.
  func setReceiver(_ block: BlockReference) {
    let place = unsafe memory + interface.plan.offset(of: 0)
    unsafe place.storeBytes(of: block.pointer, as: UnsafeRawPointer.self)
  }

  /// Copies the arguments of another call.
  ///
  /// ## Safety
  /// The other image must have the same interface.
  func copyArguments(from other: borrowing CallImage) {
    unsafe memory.copyMemory(
      from: other.memory, byteCount: interface.plan.pointee.imageSize)
    unsafe setResultPointer()
  }

  /// Calls a function with the arguments as they are.
  ///
  /// ## Safety
  /// `function` must have the interface's signature.
  package func call(_ function: UnsafeRawPointer) {
    unsafe interface.call(function, memory)
  }
}
