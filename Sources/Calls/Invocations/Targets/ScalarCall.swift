/// A call that passes only numbers and pointers, all in registers, with its memory on the stack.
@unsafe
@usableFromInline
struct ScalarCall {
  // SAFETY: the initialiser's caller vouches that the code has the plan's signature, and that plan,
  // code and receiver live until the call is over. Reads and writes of the memory are at places
  // that `isPlain` and `takes` have found to have the value's type.

  @usableFromInline let plan: UnsafePointer<CallPlan>
  @usableFromInline let code: UnsafeRawPointer

  /// The block that is argument 0, nil for a plain function.
  @usableFromInline let receiver: UnsafeRawPointer?

  @inlinable
  @inline(__always)
  init(
    _ plan: UnsafePointer<CallPlan>, _ code: UnsafeRawPointer, receiver: UnsafeRawPointer? = nil
  ) {
    unsafe self.plan = unsafe plan
    unsafe self.code = unsafe code
    unsafe self.receiver = unsafe receiver
  }

  /// Whether the call takes this number of arguments, hidden ones included, and uses registers
  /// only, also for its result, which is ignored.
  @inlinable
  @inline(__always)
  func isPlain(_ argumentCount: Int) -> Bool {
    unsafe plan.pointee.argumentCount == argumentCount && plan.pointee.plainCall != nil
      && !plan.pointee.returnsThroughMemory
  }

  /// Whether the call takes this number of arguments, uses registers only, and has a result with
  /// the memory layout of the Swift type.
  @inlinable
  @inline(__always)
  func isPlain<Result>(_ argumentCount: Int, _ type: Result.Type) -> Bool {
    let kind = ScalarKind.of(Result.self)
    return unsafe kind != .none && plan.pointee.resultScalar == kind
      && plan.pointee.argumentCount == argumentCount && plan.pointee.plainCall != nil
  }

  /// Whether an argument has the memory layout of the Swift type.
  @inlinable
  @inline(__always)
  func takes<Value>(_ type: Value.Type, at index: Int) -> Bool {
    let kind = ScalarKind.of(Value.self)
    return unsafe kind != .none && plan.offset(of: index, ifOf: kind) != nil
  }

  /// Makes the call and reads its result.
  ///
  /// - Parameters:
  ///   - owner: The owner of the plan and the code.
  ///   - type: The result's type, which `isPlain` has checked.
  ///   - fill: Sets the arguments, whose types `takes` has checked.
  /// - Returns: The result.
  @inlinable
  @inline(__always)
  func make<Owner, Result>(
    keeping owner: Owner, _ type: Result.Type, _ fill: (CallMemory) -> CallMemory
  ) -> Result {
    unsafe withMemory(fill) { memory in
      unsafe call(memory, keeping: owner)
      return unsafe (memory + plan.pointee.resultOffset).load(as: Result.self)
    }
  }

  /// Makes the call and ignores its result.
  @inlinable
  @inline(__always)
  func make<Owner>(keeping owner: Owner, _ fill: (CallMemory) -> CallMemory) {
    unsafe withMemory(fill) { memory in unsafe call(memory, keeping: owner) }
  }

  @inlinable
  @inline(__always)
  func withMemory<Result>(
    _ fill: (CallMemory) -> CallMemory, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    // A plain call reads and writes only this part of its memory. CBRCallMemory.h checks the
    // numbers. SAFETY: the memory has room for the registers, and is valid during the closure.
    unsafe withUnsafeTemporaryAllocation(byteCount: Self.registerBytes, alignment: 16) { bytes in
      let memory = unsafe bytes.baseAddress.unsafelyUnwrapped
      // The argument registers: a narrow call loads some that are not set.
      unsafe memory.initializeMemory(as: UInt64.self, repeating: 0, count: Self.argumentWords)
      if let receiver = unsafe receiver {
        let place = unsafe memory + Int(plan.place(0).pointee.offset)
        unsafe place.storeBytes(of: receiver, as: UnsafeRawPointer.self)
      }
      _ = unsafe fill(CallMemory(memory, plan))
      return unsafe body(memory)
    }
  }

  @inlinable
  @inline(__always)
  func call<Owner>(_ memory: UnsafeMutableRawPointer, keeping owner: Owner) {
    if let plainCall = unsafe plan.pointee.plainCall { unsafe plainCall(code, memory) }
    withExtendedLifetime(owner) {}
  }
}
