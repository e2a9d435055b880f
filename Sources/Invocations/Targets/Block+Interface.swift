public import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: what a reference keeps is an interface, and lives as long as the
// reference; the block's code has the block's signature.

extension Block {
  /// The call interface of the block's signature.
  ///
  /// The reference keeps it where it was made of the block's own signature and has a plan, and gives
  /// it while plans are the current engine.
  package var callInterface: CallInterface {
    get throws(InvocationError) {
      if let kept = unsafe keptInterface { return unsafe kept.takeUnretainedValue() }
      let interface = try makeInterface()
      if interface.engine == .plans { keep(interface) }
      return interface
    }
  }

  /// The call, of numbers and pointers only.
  ///
  /// It takes nothing where no interface is kept: the first call, which goes the general way, keeps
  /// it.
  @usableFromInline var scalarCall: ScalarCall {
    let plan = unsafe keptInterface?._withUnsafeGuaranteedRef { unsafe $0.plan }
    return unsafe ScalarCall(
      plan ?? CallPlan.noValues, invokeAddress, receiver: reference.pointer)
  }

  private var keptInterface: Unmanaged<CallInterface>? {
    guard CallEngine.current == .plans, let kept = unsafe kept else { return nil }
    return unsafe Unmanaged.fromOpaque(kept)
  }

  private func makeInterface() throws(InvocationError) -> CallInterface {
    // The flag means something only beside a signature.
    let usesStructReturn = flags.contains(.hasSignature) ? flags.contains(.usesStructReturn) : nil
    if let encoding = ownEncoding {
      let interface = try? CallInterface.cached(
        encoding, usesStructReturn: usesStructReturn, fixedArgumentCount: nil)
      if let interface, interface.signature.form == .block { return interface }
    }
    // What is malformed or not a block's has an error of its own.
    let signature: MethodSignature
    do { signature = try requireSignature() } catch { throw InvocationError(passing: error) }
    return try CallInterface.cached(for: signature, usesStructReturn: usesStructReturn)
  }
}
