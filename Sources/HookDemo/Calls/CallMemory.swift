import BlockRuntime

/// The memory of one call's arguments and result.
@safe
final class CallMemory {
  private let interface: CallInterface
  private let memory: UnsafeMutableRawPointer
  private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  /// Allocates zeroed memory, laid out as the interface says.
  init(_ interface: CallInterface) {
    self.interface = interface
    let size = interface.bufferSize + interface.resultSize
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let addresses = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
      capacity: max(interface.argumentOffsets.count, 1))
    for (index, offset) in interface.argumentOffsets.enumerated() {
      // SAFETY: every offset lies in the memory.
      unsafe (addresses + index).initialize(to: memory + offset)
    }
    unsafe self.memory = unsafe memory
    unsafe self.addresses = unsafe addresses
  }

  deinit {
    unsafe addresses.deallocate()
    unsafe memory.deallocate()
  }

  /// The memory of an argument, which must exist.
  func argument(_ index: Int) -> ValueSlot {
    // SAFETY: the interface's offset of an argument lies in the memory.
    unsafe ValueSlot(
      interface.signature.arguments[index].encoding, interface.argumentLayouts[index],
      .argument(index), at: memory + interface.argumentOffsets[index])
  }

  /// The memory of the result; nil where there is none.
  var result: ValueSlot? {
    guard let layout = interface.resultLayout else { return nil }
    return unsafe ValueSlot(
      interface.signature.result, layout, .result, at: memory + interface.bufferSize)
  }

  /// Calls a function with the arguments as they are.
  ///
  /// ## Safety
  /// The function must have the interface's signature.
  @unsafe
  func call(_ function: CFunction) {
    unsafe interface.call(function.address, addresses, memory + interface.bufferSize)
  }
}
