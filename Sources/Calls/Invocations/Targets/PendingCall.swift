internal import BlockABI
internal import TypeEncodings

/// A call in preparation: its arguments are added in order, then it is made.
@safe
struct PendingCall: ~Copyable {
  // SAFETY: the memory is this value's own and laid out by the interface; the initialiser's
  // caller vouches for the function.

  private let interface: CallInterface
  private let function: UnsafeRawPointer
  private let receiver: BlockReference?
  private let memory: CallMemory
  private var kept = KeptValues()
  private var count: Int

  /// Prepares a call.
  ///
  /// - Parameters:
  ///   - function: The code.
  ///   - interface: Its signature.
  ///   - receiver: The block that is argument 0, nil for a plain function.
  ///
  /// ## Safety
  /// `function` must have the interface's signature.
  @unsafe
  init(_ function: UnsafeRawPointer, _ interface: CallInterface, receiver: BlockReference? = nil) {
    // SAFETY: this value retains the receiver.
    unsafe self.function = unsafe function
    self.interface = interface
    self.receiver = receiver
    unsafe memory = unsafe CallMemory.allocate(interface)
    count = 0
    if let receiver {
      unsafe memory.setBlock(receiver)
      count = 1
    }
  }

  deinit { unsafe memory.deallocate() }

  /// Adds a Swift value.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  mutating func add<Value>(_ value: Value) throws(InvocationError) {
    // SAFETY: the slot is in the memory; `kept` retains what it points to until the call is over.
    if let slot = unsafe nextSlot { unsafe try slot.store(value, keeping: &kept) }
    count += 1
  }

  /// Adds a value described at run time.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  mutating func add(value: CValue) throws(InvocationError) {
    // SAFETY: as above.
    if let slot = unsafe nextSlot { unsafe try slot.store(value: value, keeping: &kept) }
    count += 1
  }

  /// The memory of the next argument, nil if the signature lists no more.
  private var nextSlot: ValueSlot? {
    guard count < interface.signature.arguments.count else { return nil }
    // SAFETY: the slot is used while this value lives.
    return unsafe memory.argumentSlot(count, of: interface)
  }

  /// Makes the call.
  ///
  /// - Throws: `argumentCount`, `noResult`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  consuming func result<Result>(as type: Result.Type) throws(InvocationError) -> Result {
    let isIgnored = Result.self == Void.self
    if !isIgnored && interface.resultLayout == nil {
      throw InvocationError(
        .noResult, "\(interface.signature) returns nothing, a \(Result.self) is asked for")
    }
    try make()
    // A result may point into an argument: both live until it has been read.
    defer { withExtendedLifetime((kept, receiver)) {} }
    if isIgnored, let nothing = () as? Result { return nothing }
    // SAFETY: the call has been made, so the result is initialised.
    return unsafe try memory.resultSlot().load(as: Result.self)
  }

  /// Makes the call, and describes the result.
  ///
  /// - Throws: `argumentCount`, `unsupportedType`.
  consuming func resultValue() throws(InvocationError) -> CValue {
    try make()
    defer { withExtendedLifetime((kept, receiver)) {} }
    // SAFETY: as above.
    return interface.resultLayout == nil ? .void : unsafe try memory.resultSlot().value()
  }

  private func make() throws(InvocationError) {
    let expected = interface.signature.arguments.count
    guard count == expected else {
      let hidden = receiver == nil ? 0 : 1
      throw InvocationError(
        .argumentCount,
        "\(interface.signature) takes \((expected - hidden).of("argument")), "
          + (count - hidden).areGiven)
    }
    // SAFETY: all arguments are set; the initialiser's caller vouched for the function's signature.
    unsafe memory.call(function)
  }
}
