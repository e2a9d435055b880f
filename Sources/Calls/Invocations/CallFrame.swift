public import TypeEncodings

/// A call in progress, as a handler sees it: its arguments, its result, and the inner hooks and the
/// original that it can proceed to.
///
/// A frame belongs to the handler that receives it, on the handler's thread and until the handler
/// returns; it is noncopyable and `inout`, so it cannot be stored. An argument's index is its place
/// in the signature, hidden arguments included: 1 is a block's first parameter (see
/// `CallContents`).
///
/// Everything that runs later in the same call sees changes of arguments. Text, blocks and objects
/// that are set as arguments are retained until the call ends.
@safe
public struct CallFrame: ~Copyable {
  // SAFETY: the frame's addresses are valid while it lives, which is during one call: the caller of
  // `init(_:_:)` guarantees it. The plan of the target says which offsets of the memory hold which
  // types.

  /// Where in a call a handler runs.
  public enum Position: String, Hashable, Sendable {
    /// Before the original.
    case before
    /// In place of the original, which runs when the handler proceeds.
    case instead
    /// After the original.
    case after
    /// At the end of the block's life; there are neither arguments nor a result.
    case death

    /// The position's number in an activation.
    @usableFromInline var number: UInt8 {
      switch self {
      case .before: 0
      case .instead: 1
      case .after: 2
      case .death: 3
      }
    }
  }

  /// The part of a frame that differs between the handlers of a call.
  @usableFromInline
  package struct Activation {
    /// The position's number in the low eight bits, and the level that the handler proceeds to
    /// above.
    @usableFromInline let tag: UInt32
    @usableFromInline var proceedCount: UInt32 = 0

    /// - Parameters:
    ///   - position: Where the handler runs.
    ///   - level: The number of levels outside of the one that the handler proceeds to.
    @inlinable
    package init(position: Position, level: Int) {
      tag = UInt32(truncatingIfNeeded: level << 8) | UInt32(position.number)
    }

    @inlinable package var level: Int { Int(tag >> 8) }

    var position: Position {
      switch tag & 0xFF {
      case 0: .before
      case 1: .instead
      case 2: .after
      default: .death
      }
    }

    @inlinable package var isBefore: Bool { tag & 0xFF == 0 }
    @inlinable package var isInstead: Bool { tag & 0xFF == 1 }
    @inlinable package var isAfter: Bool { tag & 0xFF == 2 }

    /// Whether both handlers run in the same position.
    @inlinable
    package func hasPosition(of other: Self) -> Bool { (tag ^ other.tag) & 0xFF == 0 }

    /// Whether the handler may set a result, as it may instead of the original and after it.
    @inlinable var maySetResult: Bool { (tag &- 1) & 0xFF < 2 }
  }

  @usableFromInline package var activation: Activation

  /// Where in the call this handler runs.
  public var position: Position { activation.position }

  /// Whether the handler runs in place of the original.
  @inlinable package var isInstead: Bool { activation.isInstead }

  /// How often this handler has proceeded.
  public var proceedCount: Int { Int(activation.proceedCount) }

  /// The arguments and the result.
  @usableFromInline package let memory: CallMemory

  /// The receiver's memory, with the original to which a handler may proceed.
  @usableFromInline let target: UnsafePointer<CallTarget>

  @usableFromInline var outcome = unsafe CallOutcome()

  /// The end of the hazard pointer by which the call protects its receiver; nil if its caller
  /// protects the receiver, or nothing is called.
  package let hazardEnd: UnsafeMutableRawPointer?

  /// Creates the frame of a call in progress.
  ///
  /// ## Safety
  /// The target and the memory must be valid while the frame lives, and the memory laid out by the
  /// target's plan.
  @unsafe
  @inline(__always)
  init(
    _ target: UnsafePointer<CallTarget>, _ memory: UnsafeMutableRawPointer,
    hazardEnd: UnsafeMutableRawPointer?
  ) {
    unsafe self.init(
      target, CallMemory(memory, target.pointee.plan), hazardEnd: hazardEnd)
  }

  /// Creates the frame of a call in progress whose memory may be laid out by another plan of the
  /// same interface.
  ///
  /// ## Safety
  /// The target, the memory and its plan must be valid while the frame lives.
  @unsafe
  @inline(__always)
  init(
    _ target: UnsafePointer<CallTarget>, _ memory: CallMemory, hazardEnd: UnsafeMutableRawPointer?
  ) {
    unsafe self.hazardEnd = unsafe hazardEnd
    unsafe self.memory = unsafe memory
    unsafe self.target = unsafe target
    activation = unsafe target.pointee.firstActivation
  }

  /// Creates the frame of a block's death, which has no values.
  package init(deathOf receiver: CallReceiver) {
    unsafe hazardEnd = nil
    unsafe memory = unsafe CallMemory(withoutValues: CallPlan.ofDeath)
    unsafe target = unsafe receiver.target
    activation = Activation(position: .death, level: 0)
  }

  /// Creates the frame of a call whose values cannot be found.
  package init(unframed receiver: CallReceiver, _ position: Position) {
    unsafe hazardEnd = nil
    unsafe memory = unsafe CallMemory(withoutValues: CallPlan.unframed)
    unsafe target = unsafe receiver.target
    activation = Activation(position: position, level: 0)
  }

  /// Whether the result has been set, by a handler or by the original.
  public var hasResult: Bool { unsafe outcome.hasResult }

  /// The signature of the called code.
  public var signature: MethodSignature { interface.signature }
}

extension CallFrame {
  /// Reads an argument.
  ///
  /// Integers and floating-point numbers are converted if no information is lost; C strings are
  /// copied to `String`; objects and blocks (as `Block`) are retained. As `Any`, the value has the
  /// method's own Swift type if the method is a closure. Otherwise it has the type that Swift
  /// imports its C type as; text is a `String`, a block a `Block`, and a record a `CValue`.
  ///
  /// - Parameters:
  ///   - index: The argument's index: 0 for the block, 1 for its first parameter.
  ///   - type: The Swift type to read it as.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  @_transparent
  public func argument<Value>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    // SAFETY: an argument of this kind is one number of this type, at its place in the memory.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, let offset = unsafe memory.plan.offset(of: index, ifOf: kind) {
      return unsafe (memory.address + offset).load(as: Value.self)
    }
    try CallFrame.refuseFunctions(Value.self)
    return unsafe try CallFrame.loadArgument(index, memory, target)
  }

  /// Changes an argument.
  ///
  /// - Parameters:
  ///   - index: 1 for a block's first parameter; the block itself cannot be changed.
  ///   - value: The new value; text for a C string, and blocks as `Block`. A `Double` for a float
  ///     is rounded as a literal is.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public mutating func setArgument<Value>(
    _ index: Int, _ value: Value
  ) throws(InvocationError) {
    // SAFETY: as for reading; hidden arguments are not changed.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, unsafe index >= Int(target.pointee.hiddenArgumentCount),
      let offset = unsafe memory.plan.offset(of: index, ifOf: kind)
    {
      unsafe ScalarKind.store(value, at: memory.address + offset)
      return
    }
    try CallFrame.refuseFunctions(Value.self)
    try storeArgument(index, value)
  }

  /// Reads the result.
  ///
  /// - Parameter type: The Swift type to read it as.
  /// - Returns: The value.
  /// - Throws: `noResult` if there is none or none yet; `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func result<Value>(as type: Value.Type = Value.self) throws(InvocationError) -> Value {
    // SAFETY: a result of this kind is one number of this type, at its place in the memory.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, unsafe outcome.hasResult, unsafe memory.plan.pointee.resultScalar == kind {
      return unsafe (memory.address + memory.plan.pointee.resultOffset).load(as: Value.self)
    }
    try CallFrame.refuseFunctions(Value.self)
    return try loadResult()
  }

  /// Sets the result that the caller gets.
  ///
  /// Text, an object or a block that is returned lives until the same thread returns the next such
  /// result: the caller must copy or retain it before.
  ///
  /// - Parameter value: The result.
  /// - Throws: `noResult` if the signature says void, and before the original, which would replace
  ///   it; `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public mutating func setResult<Value>(_ value: Value) throws(InvocationError) {
    // SAFETY: as for reading.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, kind != .pointer, activation.maySetResult,
      unsafe memory.plan.pointee.resultScalar == kind
    {
      unsafe ScalarKind.store(value, at: memory.address + memory.plan.pointee.resultOffset)
      unsafe outcome.setHasResult()
      return
    }
    try CallFrame.refuseFunctions(Value.self)
    try storeResult(value)
  }

  /// Reads an argument as a value described at run time.
  ///
  /// A C string that memory does not hold, as behind a pointer to other bytes, is an opaque value.
  ///
  /// - Parameter index: 0 for a block's own pointer, 1 for its first parameter.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `unsupportedType`.
  public func argumentValue(_ index: Int) throws(InvocationError) -> CValue {
    unsafe try argumentSlot(index).value()
  }

  /// Changes an argument to a value described at run time.
  ///
  /// - Parameters:
  ///   - index: 1 for a block's first parameter; the block itself cannot be changed.
  ///   - value: The new value.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public mutating func setArgumentValue(
    _ index: Int, _ value: CValue
  ) throws(InvocationError) {
    let slot = unsafe try changeableSlot(index)
    var kept = KeptValues()
    unsafe try slot.store(value: value, keeping: &kept)
    finishStore(keeping: kept)
  }

  /// Reads the result as a value described at run time.
  ///
  /// - Throws: `noResult`, `unsupportedType`.
  public func resultValue() throws(InvocationError) -> CValue {
    guard hasResult else { throw noResultYet }
    return unsafe try memory.resultSlot().value()
  }

  /// Sets the result to a value described at run time.
  ///
  /// - Parameter value: The result.
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public mutating func setResultValue(_ value: CValue) throws(InvocationError) {
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value: value, keeping: &kept)
    }
  }
}
