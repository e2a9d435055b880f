internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: the memory is the buffer's own, laid out by its interface.

/// The memory of one call's arguments and result, laid out as its interface says.
@unsafe
struct ArgumentBuffer: ~Copyable {
  private let interface: CallInterface
  private let memory: UnsafeMutableRawPointer
  private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  /// Allocates zeroed memory.
  init(_ interface: CallInterface) {
    unsafe self.interface = interface
    let size = interface.bufferSize + interface.resultSize
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let offsets = interface.argumentOffsets
    let addresses = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
      capacity: max(offsets.count, 1))
    for (index, offset) in offsets.enumerated() {
      // SAFETY: every offset lies in the buffer.
      unsafe (addresses + index).initialize(to: memory + offset)
    }
    unsafe self.memory = unsafe memory
    unsafe self.addresses = unsafe addresses
  }

  deinit {
    unsafe addresses.deallocate()
    unsafe memory.deallocate()
  }

  /// The memory of an argument.
  func slot(_ index: Int) throws(InvocationError) -> ValueSlot {
    let arguments = unsafe interface.signature.arguments
    guard arguments.indices.contains(index), let address = unsafe addresses[index] else {
      throw InvocationError(
        .argumentIndex,
        unsafe "there is no argument \(index): the signature \(interface.signature) lists \(arguments.count)",
        argument: index)
    }
    return unsafe ValueSlot(
      arguments[index].encoding, interface.argumentLayouts[index], .argument(index), at: address)
  }

  /// The memory of the result.
  func resultSlot() throws(InvocationError) -> ValueSlot {
    guard let layout = unsafe interface.resultLayout else {
      throw InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
    }
    return unsafe ValueSlot(interface.signature.result, layout, .result, at: result)
  }

  /// Makes a block, which the caller keeps alive, argument 0.
  func setReceiver(_ block: BlockReference) {
    guard let address = unsafe addresses[0] else { return }
    unsafe address.storeBytes(of: block.pointer, as: UnsafeRawPointer.self)
  }

  /// Copies the arguments of another call.
  ///
  /// ## Safety
  /// The other buffer must have the same interface.
  func copyArguments(from other: borrowing ArgumentBuffer) {
    unsafe memory.copyMemory(from: other.memory, byteCount: interface.bufferSize)
  }

  /// Calls a function with the arguments as they are.
  ///
  /// ## Safety
  /// `function` must have the interface's signature.
  func call(_ function: UnsafeRawPointer) {
    unsafe interface.call(function, addresses, result)
  }

  private var result: UnsafeMutableRawPointer { unsafe memory + interface.bufferSize }
}
