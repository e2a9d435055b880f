internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: the addresses lie in the image of an invocation that the call keeps, and
// were checked when the handles were made.

/// A call that is checked once and then made many times: what an invocation costs is paid at the start.
///
/// Arguments are changed, and results read, through handles:
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
/// It shares its arguments and its result with the invocation, keeps it, and belongs to one thread at a
/// time. Hooks of a block that is called take part as in any call.
@safe
public final class PreparedCall {
  private let invocation: Invocation
  private let target: AnyObject?

  @usableFromInline let image: UnsafeMutableRawPointer

  /// Where the address of the code is: in the block, whose hooks replace it, or in own memory.
  @usableFromInline let code: UnsafePointer<UnsafeRawPointer>
  private let ownCode: UnsafeMutablePointer<UnsafeRawPointer>?

  /// How the call is made, nil where more is to be done.
  @usableFromInline let plainCall: PlainCall?

  init(_ invocation: Invocation, _ target: Invocation.Target) {
    self.invocation = invocation
    unsafe image = unsafe invocation.buffer.memory
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

  deinit { unsafe ownCode?.deallocate() }

  /// Makes the call.
  @inlinable
  @inline(__always)
  public func callAsFunction() {
    withExtendedLifetime(self) {
      if let plainCall = unsafe plainCall {
        unsafe plainCall(code.pointee, image)
      } else {
        callSlowly()
      }
    }
  }

  @usableFromInline
  func callSlowly() {
    let plan = unsafe invocation.interface.plan
    if unsafe plan.pointee.isForeign || plan.pointee.returnsReference {
      unsafe invocation.call(code.pointee)
    } else {
      unsafe plan.pointee.call(code.pointee, image)
    }
  }

  /// The memory of an argument, as a value of its Swift type.
  ///
  /// - Parameters:
  ///   - index: 0 for a function's first argument, 1 for a block's first parameter.
  ///   - type: A number, a pointer or a structure that lies in memory as the encoded type does.
  /// - Returns: A handle, which keeps the call.
  /// - Throws: `argumentIndex`; `typeMismatch`, also for a block's own pointer.
  public func argument<Value: BitwiseCopyable>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> PreparedArgument<Value> {
    guard index != 0 || !invocation.isBlockCall else {
      throw InvocationError(
        .typeMismatch, "argument 0 is the block that is called; prepare a call of another block",
        argument: 0)
    }
    return unsafe PreparedArgument(
      try invocation.buffer.slot(index).address(of: Value.self), self)
  }

  /// The memory of the result, as a value of its Swift type.
  ///
  /// - Parameter type: As for arguments.
  /// - Returns: A handle, which keeps the call.
  /// - Throws: `noResult`, `typeMismatch`.
  public func result<Value: BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) throws(InvocationError) -> PreparedResult<Value> {
    unsafe PreparedResult(try invocation.buffer.resultSlot().address(of: Value.self), self)
  }
}

/// One argument of a prepared call.
@safe
public struct PreparedArgument<Value: BitwiseCopyable> {
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
  @usableFromInline let address: UnsafeMutableRawPointer
  @usableFromInline let call: PreparedCall

  init(_ address: UnsafeMutableRawPointer, _ call: PreparedCall) {
    unsafe self.address = unsafe address
    self.call = call
  }

  /// What the invocation's last call returned, this way or another; zero before the first.
  @inlinable
  public var value: Value {
    @inline(__always) get {
      withExtendedLifetime(call) { unsafe address.loadUnaligned(as: Value.self) }
    }
  }
}
