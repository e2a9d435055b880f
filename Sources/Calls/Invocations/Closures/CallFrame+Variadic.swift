private import BlockRuntimeThreads
private import CInvocations.CallMemory
private import Glibc
private import TypeEncodings

/// Variadic calls: how many arguments lie on the stack is unknown, so a frame calls the original
/// only with arguments that were named; otherwise the call goes on, as it is, when all handlers
/// have returned.
extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives. The memory of a variadic
  // call has all registers that pass arguments, and behind them the caller's stack.

  /// The arguments that the caller passes in place of `...`, from the first one.
  ///
  /// - Throws: `notVariadic` for a call whose signature lists all arguments.
  public var variadic: VariadicArguments {
    mutating get throws(InvocationError) {
      guard unsafe memory.hasValues, unsafe memory.plan.pointee.isVariadic else {
        throw InvocationError(
          .notVariadic,
          "the signature lists all arguments; declare the function with ... at the end")
      }
      return VariadicArguments(variadicCall)
    }
  }

  private var variadicCall: VariadicCall {
    mutating get {
      let keeper = unsafe outcome.makeKeeper()
      if let call = keeper.variadic { return call }
      let call = unsafe VariadicCall(memory, interface)
      // Behind the memory of a call that has gone on is no caller's stack.
      if unsafe hazardEnd == nil { call.end() }
      keeper.variadic = call
      return call
    }
  }

  /// The interface of the call with the arguments that were named.
  ///
  /// A known format names them first: it says more than a handler that reads some of them one by
  /// one.
  private mutating func namedInterface() throws(InvocationError) -> CallInterface? {
    let call = unsafe outcome.keeper?.variadic
    guard let format = interface.format, call?.namesAll != true else { return call?.named }
    do throws(InvocationError) {
      _ = try VariadicArguments(variadicCall).values(by: format)
    } catch { guard call?.named != nil else { throw error } }
    return variadicCall.named
  }

  /// Names the arguments by a known format, if there is one and it can be read.
  package mutating func nameByFormat() { _ = try? namedInterface() }

  /// The texts of the arguments that were named.
  var variadicTexts: [String] {
    guard let call = unsafe outcome.keeper?.variadic, let named = call.named else { return [] }
    let count = signature.arguments.count
    let texts = unsafe try? call.withMemory(named) { own in
      (count..<named.argumentCount).map { unsafe (try? own.argumentSlot($0))?.text ?? "?" }
    }
    return texts ?? []
  }

  /// Proceeds with the arguments that were named.
  ///
  /// - Throws: `unnamedArguments`; why a known format does not name them.
  @inline(never)
  mutating func proceedByNames() throws(InvocationError) {
    guard try namedInterface() != nil else {
      throw InvocationError(
        .unnamedArguments,
        "what the caller passes in place of ... is not known, so it cannot be passed on; read it by "
          + "call.variadic first, for example values(format:), or hook before the function")
    }
    activation.proceedCount &+= 1
    let call = variadicCall
    call.depth += 1
    runLevels(inside: activation.level)
    call.depth -= 1
  }

  /// Proceeds; a variadic call goes on when its handlers have returned.
  ///
  /// - Parameter byFormat: Whether the original is called here if a known format names the
  ///   arguments.
  /// - Throws: The errors of `proceed()`.
  @inlinable
  @inline(__always)
  package mutating func proceedAsItIs(byFormat: Bool = false) throws(InvocationError) {
    guard unsafe memory.plan.pointee.isVariadic else { return try proceed() }
    try proceedWithoutNames(byFormat)
  }

  @usableFromInline
  @inline(never)
  mutating func proceedWithoutNames(_ byFormat: Bool) throws(InvocationError) {
    if byFormat, interface.format != nil, (try? namedInterface()) != nil { return try proceed() }
    activation.proceedCount &+= 1
    runLevels(inside: activation.level)
  }

  /// Whether the call goes on, as it is, when its handlers have returned.
  @inlinable package var goesOn: Bool { unsafe outcome.bits & 8 != 0 }

  /// Lets a handler run after the original of a call that goes on.
  package mutating func runAfterwards(_ body: @escaping (inout CallFrame) -> Void) {
    unsafe outcome.makeKeeper().afterwards.append(body)
  }

  /// Lets the library's own code run after the original of a call that goes on, under the guard of
  /// an imported function.
  package mutating func runAtEnd(_ body: @escaping (inout CallFrame) -> Void) {
    let isGuarded = unsafe target.pointee.liftsGuard
    runAfterwards { frame in
      guard isGuarded else { return body(&frame) }
      unsafe ReentrancyGuard.handling(frame.memory.address, isInstead: false) { body(&frame) }
    }
  }

  /// Calls the original with the arguments that were named, if a handler has proceeded with them;
  /// otherwise lets the call go on.
  @inline(never)
  mutating func callVariadicOriginal() {
    guard let call = unsafe outcome.keeper?.variadic, call.depth > 0, let interface = call.named
    else {
      if unsafe target.pointee.liftsGuard {
        unsafe ReentrancyGuard.keepErrorNumber(of: memory.address)
      }
      return unsafe outcome.setGoesOn()
    }
    followBlock()
    let (called, target) = unsafe (memory, target)
    let hasResult = unsafe try? call.withMemory(interface) { own in
      if unsafe target.pointee.liftsGuard {
        unsafe ReentrancyGuard.runningOriginal(of: called.address) {
          unsafe own.callVariadic(target.pointee.code)
        }
      } else {
        unsafe own.callVariadic(target.pointee.code)
      }
      return unsafe called.copyResult(from: own)
    }
    guard hasResult == true else { return }
    unsafe outcome.setHasResult()
    if unsafe memory.plan.pointee.returnsReference { keepResult() }
  }

  /// Ends the frame of a call that goes on, and stores in the call's memory where it goes on.
  mutating func goOn() {
    followBlock()
    let place = unsafe memory.address + CallPlan.registerBytes
    unsafe place.storeBytes(of: target.pointee.code, as: UnsafeRawPointer.self)
    let hasCopy = unsafe target.pointee.copy.pointee != 0
    guard unsafe hasCopy || outcome.keeper != nil else { return }
    let keeper = unsafe outcome.takeKeeper() ?? FrameKeeper()
    keeper.variadic?.end()
    guard hasCopy || !keeper.afterwards.isEmpty || !keeper.arguments.isEmpty else { return }
    // The original finds the caller's `errno`, whatever making the code has called.
    let error = Glibc.errno
    defer { Glibc.errno = error }
    let (code, entry) = unsafe CallThatGoesOn.entry(receiver.takeUnretainedValue(), memory, keeper)
    unsafe place.storeBytes(of: code ?? target.pointee.code, as: UnsafeRawPointer.self)
    unsafe (place + 8).storeBytes(of: entry, as: UnsafeRawPointer.self)
  }

  /// Creates the frame of handlers that run after a call that went on.
  ///
  /// ## Safety
  /// The memory must be valid while the frame lives, and laid out by the receiver's plan.
  @unsafe
  init(_ receiver: CallReceiver, after memory: UnsafeMutableRawPointer, _ keeper: FrameKeeper) {
    unsafe self.init(receiver.target, memory, hazardEnd: nil)
    activation = Activation(position: .after, level: 0)
    unsafe outcome.setHasResult()
    unsafe outcome.adopt(keeper)
  }
}

extension CallMemory {
  // SAFETY: the caller vouches for the function; the plan has the counts for the memory.
  /// Calls a variadic function, which is told how many vector registers pass arguments.
  ///
  /// ## Safety
  /// `function` must accept the arguments of the interface.
  @unsafe
  fileprivate func callVariadic(_ function: UnsafeRawPointer) {
    unsafe plan.makeMoves(address)
    unsafe cbr_call_memory(
      address, function, plan.pointee.floats, plan.pointee.stackBytes, plan.pointee.result)
  }
}
