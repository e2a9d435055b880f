private import CLoadedImages.ReadableMemory
internal import TypeEncodings

/// Where the arguments of a variadic call are, while its handlers run, and what is known of them.
@safe
final class VariadicCall {
  // SAFETY: the memory is read until `end()` only, which the call's frame does when it ends.
  private let memory: CallMemory
  private let declared: CallInterface
  private var isOver = false

  /// The interface of the call with the arguments that were named; nil as long as none were.
  private(set) var named: CallInterface?

  /// Whether all arguments were named, not only the first ones.
  private(set) var namesAll = false

  /// How many handlers on the stack have proceeded with the named arguments.
  var depth = 0

  /// ## Safety
  /// The memory must be valid until `end()`, with the caller's stack behind the registers.
  @unsafe
  init(_ memory: CallMemory, _ declared: CallInterface) {
    unsafe self.memory = unsafe memory
    self.declared = declared
  }

  /// Ends the time in which arguments can be read.
  func end() { isOver = true }

  /// Notes the arguments that the caller passes, unless more are known.
  func name(_ interface: CallInterface, areAll: Bool = false) {
    namesAll = namesAll || areAll
    if let named, named.argumentCount > interface.argumentCount { return }
    named = interface
  }

  /// The value of an argument that the signature lists.
  func argument(_ index: Int) throws(InvocationError) -> CValue {
    try requireTime()
    return unsafe try memory.argumentSlot(index).value(distrustsMemory: true)
  }

  /// Whether an argument that the signature lists points to `wchar_t`.
  func isWide(_ index: Int) -> Bool {
    guard case .pointer(let pointee) = declared.signature.arguments[index].encoding.type else {
      return false
    }
    return [.int32, .uint32].contains(pointee.kind)
  }

  /// Whether an argument, which is the last one of some types, is a null pointer.
  func isNull(at index: Int, naming types: [TypeEncoding]) throws(InvocationError) -> Bool {
    // SAFETY: the memory is that of the interface, which has the argument.
    unsafe try withMemory(interface(naming: types)) { memory in
      Result { () throws(InvocationError) in
        unsafe try memory.argumentSlot(index).pointerValue == nil
      }
    }.get()
  }

  /// The interface of a call that passes arguments of some types in place of `...`.
  func interface(naming types: [TypeEncoding]) throws(InvocationError) -> CallInterface {
    var signature = declared.signature.withoutFrameOffsets()
    for type in types { signature.arguments.append(.init(type)) }
    let interface = try CallInterface.cached(for: signature)
    guard interface.engine == .plans, unsafe interface.plan.pointee.vectorBytes == 0 else {
      throw InvocationError(
        .unsupportedType, "how \(signature) passes its arguments is not known; name other types")
    }
    return interface
  }

  /// Runs a closure with a copy of the call's memory that is laid out for more arguments.
  func withMemory<Result>(
    _ interface: CallInterface, _ body: (CallMemory) -> Result
  ) throws(InvocationError) -> Result {
    try requireTime()
    let plan = unsafe interface.plan
    let stack = unsafe memory.address + CallPlan.stackOffset(vectorBytes: 0)
    let size = unsafe Int(plan.pointee.stackBytes)
    // The caller may have passed less than is read, and its stack may end.
    var page = (UInt(bitPattern: stack) | 0xFFF) + 1
    while page < UInt(bitPattern: stack) + UInt(size) {
      // SAFETY: the kernel is asked.
      guard let word = unsafe UnsafeRawPointer(bitPattern: page), unsafe cbr_is_readable(word)
      else {
        throw InvocationError(
          .argumentCount,
          "the caller's stack ends before \(interface.argumentCount.of("argument")); name those that "
            + "are passed")
      }
      page += 0x1000
    }
    return unsafe CallMemory.withTemporary(interface) { own in
      unsafe own.address.copyMemory(from: memory.address, byteCount: CallPlan.registerBytes)
      unsafe (own.address + CallPlan.stackOffset(vectorBytes: 0)).copyMemory(
        from: stack, byteCount: size)
      unsafe plan.gather(own.address)
      return unsafe body(own)
    }
  }

  private func requireTime() throws(InvocationError) {
    guard isOver else { return }
    throw InvocationError(
      .noResult, "the call has ended, or has gone on; variable arguments are read before that")
  }
}
