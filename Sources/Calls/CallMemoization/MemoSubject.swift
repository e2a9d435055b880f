internal import BlockHooks
internal import Invocations
internal import TypeEncodings

/// The properties of a memoized target that follow from its signature.
struct MemoSubject: Sendable {
  let interface: CallInterface

  /// The indices of the declared arguments among all.
  let ownIndices: Range<Int>

  /// Whether argument 0 is the receiver of a method.
  let hasReceiver: Bool

  /// Whether the result is an answer that callers await.
  let answersLater: Bool

  init(_ interface: CallInterface) {
    self.interface = interface
    let (signature, count) = (interface.signature, interface.argumentCount)
    ownIndices = signature.form.hiddenCount..<count
    hasReceiver = signature.form == .method && count > 0
    answersLater = signature.result.isAwaitedAnswer
  }

  var signature: MethodSignature { interface.signature }

  /// Checks that there is a result that can be stored.
  ///
  /// - Throws: `notMemoizable`.
  func requireKeepableResult(pointersAreStable: Bool) throws(MemoizationError) {
    guard interface.resultLayout != nil else {
      throw MemoizationError(
        .notMemoizable, "\(signature) returns nothing: there is nothing to keep")
    }
    if !pointersAreStable, signature.result.holdsRawPointer() {
      throw MemoizationError(
        .notMemoizable,
        "the result \(signature.result) points to memory, which need not be valid as "
          + "long as the result is stored; if it is, pass `resultPointersAreStable: true`")
    }
  }

  /// Checks that the arguments distinguish calls.
  ///
  /// - Throws: `notMemoizable`.
  func requireTellingArguments() throws(MemoizationError) {
    for index in ownIndices
    where signature.arguments[index].encoding.holds({ $0.kind == .block }) {
      throw MemoizationError(
        .notMemoizable,
        "argument \(index), \(signature.arguments[index].encoding), holds a block, which callers may "
          + "keep alive during the call only; give a `key:` that leaves it out")
    }
    for index in ownIndices
    where signature.arguments[index].encoding.holdsRawPointer(isArgument: true) {
      throw MemoizationError(
        .notMemoizable,
        "argument \(index), \(signature.arguments[index].encoding), holds a pointer, which does not "
          + "say what it points to; give a `key:` that reads what the result depends on")
    }
  }

  /// Lays out declared arguments as in a call.
  ///
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`, and the errors of `body`.
  func withMemory<Result>(
    of arguments: [CValue], _ body: (CallMemory) throws(InvocationError) -> Result
  ) throws(InvocationError) -> Result {
    guard arguments.count == ownIndices.count else {
      throw InvocationError(
        .argumentCount,
        "\(signature) takes \(ownIndices.count.of("argument")), \(arguments.count.areGiven)")
    }
    // SAFETY: the memory is freed once `body` has returned, and `kept` retains what its slots refer
    // to.
    let memory = unsafe CallMemory.allocate(interface)
    defer { unsafe memory.deallocate() }
    var kept = KeptValues()
    for (index, value) in zip(ownIndices, arguments) {
      unsafe try memory.argumentSlot(index).store(value: value, keeping: &kept)
    }
    defer { withExtendedLifetime(kept) {} }
    return unsafe try body(memory)
  }

  /// Declared arguments as a call has them, with the types of the signature.
  ///
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  func values(of arguments: [CValue]) throws(InvocationError) -> [CValue] {
    // SAFETY: the slots are read while their memory is allocated.
    unsafe try withMemory(of: arguments) { memory throws(InvocationError) in
      var values: [CValue] = []
      for index in ownIndices { values.append(unsafe try memory.argumentSlot(index).value()) }
      return values
    }
  }

  /// The value of a stored word, with the type of the slot that `place` returns.
  func value(
    _ word: UInt64, _ place: (CallMemory) throws(InvocationError) -> ValueSlot
  ) -> CValue? {
    // SAFETY: the memory is freed once the slot's value has been read.
    let memory = unsafe CallMemory.allocate(interface)
    defer { unsafe memory.deallocate() }
    guard let slot = unsafe try? place(memory) else { return nil }
    // SAFETY: there is a whole word for every number.
    unsafe slot.address.storeBytes(of: word, as: UInt64.self)
    return unsafe try? slot.value()
  }

  /// The stored form of a result as a value of its type.
  func value(_ result: MemoResult) -> CValue {
    switch result {
    case .value(let value): value
    case .word(let word):
      // SAFETY: the slot is used until the memory is freed.
      unsafe value(word) { memory throws(InvocationError) in
        unsafe try memory.resultSlot()
      } ?? .void
    }
  }
}
