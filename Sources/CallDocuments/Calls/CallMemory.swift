import Invocations

/// The memory of one call's arguments and result, shared by the copies of a call.
@safe
final class CallMemory {
  private let interface: CallInterface
  private let image: CallImage

  /// Allocates zeroed memory, laid out as the interface says.
  init(_ interface: CallInterface) {
    self.interface = interface
    unsafe image = unsafe CallImage(interface)
  }

  /// The memory of an argument.
  func argument(_ index: Int) throws(InvocationError) -> ValueSlot { unsafe try image.slot(index) }

  /// The memory of the result; nil where there is none.
  var result: ValueSlot? { unsafe try? image.resultSlot() }

  /// Calls a function with the arguments as they are.
  ///
  /// ## Safety
  /// The function must have the interface's signature.
  @unsafe
  func call(_ function: CFunction) { unsafe image.call(function.address) }
}
