/// The memory of a call's arguments and its result.
@safe
final class CaseMemory {
  /// More than any generated type takes.
  static let slotSize = 4_096

  let arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  let result: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawPointer

  /// Allocates memory for a number of arguments.
  init(argumentCount: Int) {
    let size = Self.slotSize * (argumentCount + 1)
    unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    unsafe result = unsafe memory
    unsafe arguments = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
      capacity: argumentCount + 1)
    for index in 0...argumentCount {
      // SAFETY: there is a slot for each argument behind the result's; the last entry is spare.
      unsafe (arguments + index).initialize(
        to: index < argumentCount ? memory + (index + 1) * Self.slotSize : nil)
    }
  }

  deinit {
    unsafe arguments.deallocate()
    unsafe memory.deallocate()
  }

  /// Fills the result's memory with what no call may leave there.
  func clearResult() {
    unsafe result.initializeMemory(as: UInt8.self, repeating: 0xA5, count: Self.slotSize)
  }
}
