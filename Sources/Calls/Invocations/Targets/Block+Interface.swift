public import BlockABI
internal import TypeEncodings

extension Block {
  /// The call interface of the block's signature.
  ///
  /// An interface that was made from the block's own signature and has a plan is stored with the
  /// block's reference, and used while plans are the current engine.
  package var callInterface: CallInterface {
    get throws(InvocationError) {
      // SAFETY: `self` retains the reference, which retains the interface.
      if let stored = unsafe storedInterface { return unsafe stored.takeUnretainedValue() }
      let interface = try makeInterface()
      if isVariadic { return try CallInterface(interface.signature, isVariadic: true) }
      if interface.engine == .plans { storeWithSignature(interface) }
      return interface
    }
  }

  /// The block's call for numbers and pointers only.
  ///
  /// Without a stored interface no call is plain: the first call takes the general way, which
  /// stores an interface.
  @usableFromInline var scalarCall: ScalarCall {
    // SAFETY: the reference retains the interface, which owns the plan; the block's code has the
    // block's signature. The caller retains the block.
    let plan = unsafe storedInterface?._withUnsafeGuaranteedRef { unsafe $0.plan }
    return unsafe ScalarCall(
      plan ?? CallPlan.unframed, invokeAddress, receiver: reference.pointer)
  }

  private var storedInterface: Unmanaged<CallInterface>? {
    // SAFETY: only `callInterface` stores an object with the reference, and it is an interface.
    guard CallEngine.current == .plans, let stored = unsafe storedWithSignature else {
      return nil
    }
    return unsafe Unmanaged.fromOpaque(stored)
  }

  private func makeInterface() throws(InvocationError) -> CallInterface {
    let usesStructReturn = structReturnFlag
    if let encoding = ownEncoding {
      let interface = try? CallInterface.cached(
        encoding, usesStructReturn: usesStructReturn, fixedArgumentCount: nil)
      if let interface, interface.signature.form == .block { return interface }
    }
    // `requireSignature` has specific errors for signatures that are malformed or not a block's.
    let signature: MethodSignature
    do { signature = try requireSignature() } catch { throw InvocationError(passing: error) }
    return try CallInterface.cached(for: signature, usesStructReturn: usesStructReturn)
  }
}
