internal import BlockABI
internal import TypeEncodings

/// A call that is checked once, when it is prepared, and then made many times.
///
/// Handles change its arguments and read its results:
///
///     let invocation = try Invocation(add)
///     try invocation.setArgument(1, 1)
///     try invocation.setArgument(2, 0.5)
///     let call = try invocation.prepared()
///     let first = try call.argument(1, as: Int32.self)
///     let sum = try call.result(as: Int32.self)
///     for value in 0..<1_000 {
///       first.value = Int32(value)
///       call()
///       print(sum.value)
///     }
///
/// A prepared call shares its arguments and its result with the invocation, which it retains, and
/// must be used by one thread at a time. Hooks of the called block run as in any call.
@safe
public final class PreparedCall {
  // SAFETY: `invocation` owns the memory and retains the interface that owns the plan; it does not
  // replace them.

  private let invocation: Invocation
  private let target: AnyObject?

  @usableFromInline let memory: CallMemory

  /// The place of the code's address: in the block, because hooks replace it, or in `ownCode`.
  @usableFromInline let code: UnsafePointer<UnsafeRawPointer>
  private let ownCode: UnsafeMutablePointer<UnsafeRawPointer>?

  /// Makes the call; nil if a plain call does not suffice.
  @usableFromInline let plainCall: PlainCall?

  init(_ invocation: Invocation, _ target: Invocation.Target) {
    self.invocation = invocation
    // SAFETY: `target` retains the block that has the place of its code.
    unsafe memory = unsafe invocation.memory
    switch target {
    case .block(let block):
      self.target = block.reference
      unsafe code = unsafe block.invokePlace
      unsafe ownCode = nil
    case .function(let function):
      self.target = nil
      let place = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: 1)
      unsafe place.initialize(to: function.address)
      unsafe code = unsafe UnsafePointer(place)
      unsafe ownCode = unsafe place
    }
    let plan = unsafe invocation.interface.plan
    unsafe plainCall = unsafe plan.pointee.returnsReference ? nil : plan.pointee.plainCall
  }

  // SAFETY: `callAsFunction` retains this object, so no call reads the address.
  deinit { unsafe ownCode?.deallocate() }

  /// Makes the call.
  @inlinable
  @inline(__always)
  public func callAsFunction() {
    // SAFETY: the invocation checked that the code has its signature, and that all arguments are
    // set.
    withExtendedLifetime(self) {
      if let plainCall = unsafe plainCall {
        unsafe plainCall(code.pointee, memory.address)
      } else {
        callSlowly()
      }
    }
  }

  @usableFromInline
  func callSlowly() {
    // SAFETY: as above.
    if unsafe memory.plan.pointee.returnsReference {
      unsafe invocation.call(code.pointee)
    } else {
      unsafe memory.call(code.pointee)
    }
  }

  /// A handle for an argument, as a value of its Swift type.
  ///
  /// - Parameters:
  ///   - index: 0 for a function's first argument, 1 for a block's first parameter.
  ///   - type: A number, a pointer or a structure with the memory layout of the encoded type.
  /// - Returns: The handle, which retains the call.
  /// - Throws: `argumentIndex`; `typeMismatch`, also for a block's own pointer.
  public func argument<Value: BitwiseCopyable>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> PreparedArgument<Value> {
    guard index != 0 || !invocation.isBlockCall else {
      throw InvocationError(
        .typeMismatch, "argument 0 is the block that is called; prepare a call of another block",
        argument: 0)
    }
    // SAFETY: `address(of:)` checks the type; the handle retains this call, and so the memory.
    return unsafe PreparedArgument(
      try memory.argumentSlot(index).address(of: Value.self), self)
  }

  /// A handle for the result, as a value of its Swift type.
  ///
  /// - Parameter type: As for arguments.
  /// - Returns: The handle, which retains the call.
  /// - Throws: `noResult`, `typeMismatch`.
  public func result<Value: BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) throws(InvocationError) -> PreparedResult<Value> {
    // SAFETY: as above.
    unsafe PreparedResult(try memory.resultSlot().address(of: Value.self), self)
  }
}

/// One argument of a prepared call.
@safe
public struct PreparedArgument<Value: BitwiseCopyable> {
  // SAFETY: the address is in the memory of the retained `call`, and is that of a `Value`.

  @usableFromInline let address: UnsafeMutableRawPointer
  @usableFromInline let call: PreparedCall

  init(_ address: UnsafeMutableRawPointer, _ call: PreparedCall) {
    unsafe self.address = unsafe address
    self.call = call
  }

  /// The value that the next call passes.
  @inlinable
  public var value: Value {
    @inline(__always) get {
      withExtendedLifetime(call) { unsafe address.loadUnaligned(as: Value.self) }
    }
    @inline(__always) nonmutating set {
      withExtendedLifetime(call) { unsafe ScalarKind.store(newValue, at: address) }
    }
  }
}

/// The result of a prepared call.
@safe
public struct PreparedResult<Value: BitwiseCopyable> {
  // SAFETY: the address is in the memory of the retained `call`, and is that of a `Value`.

  @usableFromInline let address: UnsafeMutableRawPointer
  @usableFromInline let call: PreparedCall

  init(_ address: UnsafeMutableRawPointer, _ call: PreparedCall) {
    unsafe self.address = unsafe address
    self.call = call
  }

  /// The result of the invocation's last call, prepared or not; zero before the first.
  @inlinable
  public var value: Value {
    @inline(__always) get {
      withExtendedLifetime(call) { unsafe address.loadUnaligned(as: Value.self) }
    }
  }
}
