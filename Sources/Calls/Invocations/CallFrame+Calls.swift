package import BlockABI
private import BlockRuntimeThreads
internal import TypeEncodings

extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives, and what it calls has the
  // signature by whose plan its memory is laid out.

  /// Runs the next inner hook, or the original if there is none.
  ///
  /// Handlers may call this any number of times; each time the current arguments are passed, and
  /// the result replaces the previous one.
  ///
  /// - Throws: `cannotProceed` in other positions than `instead`, and if there is no original.
  @_transparent
  public mutating func proceed() throws(InvocationError) {
    // SAFETY: the receiver made the target for the plan that the memory is laid out by.
    guard unsafe activation.tag == target.pointee.tag,
      unsafe target.pointee.copy.pointee == 0
    else { return try proceedSlowly() }
    activation.proceedCount &+= 1
    unsafe target.pointee.call(target.pointee.code, memory.address)
    unsafe outcome.setHasResult()
  }

  /// Proceeds to another hook, or to an original that takes more than a plain call.
  @usableFromInline
  @inline(never)
  mutating func proceedSlowly() throws(InvocationError) {
    if unsafe activation.tag == target.pointee.directTag {
      activation.proceedCount &+= 1
      return callDirectOriginal()
    }
    guard activation.isInstead, unsafe activation.level < target.pointee.levelCount else {
      return try proceedToOriginal()
    }
    activation.proceedCount &+= 1
    runLevels(inside: activation.level)
  }

  /// Proceeds to an original that takes more than a plain call.
  @inline(__always)
  private mutating func proceedToOriginal() throws(InvocationError) {
    guard activation.isInstead, unsafe target.pointee.hasOriginal else {
      throw Self.cannotProceed(position)
    }
    if unsafe memory.plan.pointee.isVariadic { return try proceedByNames() }
    activation.proceedCount &+= 1
    callExistingOriginal()
  }

  static func cannotProceed(_ position: Position) -> InvocationError {
    position == .instead
      ? InvocationError(
        .cannotProceed, "there is no original to proceed to; set the result instead")
      : InvocationError(
        .cannotProceed,
        "a handler in the position \(position.rawValue) cannot proceed; only `instead` decides "
          + "whether the original runs")
  }

  /// Runs the levels inside of the outermost `level`, and the original.
  @inline(__always)
  mutating func proceed(inside level: Int) {
    if unsafe level >= target.pointee.levelCount, unsafe !memory.plan.pointee.isVariadic {
      return callOriginalSlowly()
    }
    runLevels(inside: level)
  }

  /// Has the receiver run its levels inside of the outermost `level`, and the original.
  @inline(__always)
  mutating func runLevels(inside level: Int) {
    unsafe receiver._withUnsafeGuaranteedRef { $0.levels?.proceed(&self, inside: level) }
  }

  /// Calls the original; does nothing if there is none.
  @_transparent
  @usableFromInline
  package mutating func callOriginal() {
    guard unsafe target.pointee.isPlain else { return callOriginalSlowly() }
    unsafe target.pointee.call(target.pointee.code, memory.address)
    unsafe outcome.setHasResult()
  }

  /// Calls an original that takes more than a plain call.
  @usableFromInline
  @inline(never)
  mutating func callOriginalSlowly() {
    if unsafe target.pointee.hasOriginal { callExistingOriginal() }
  }

  /// Calls the original, which must exist.
  @inline(__always)
  mutating func callExistingOriginal() {
    if unsafe memory.plan.pointee.isVariadic { return callVariadicOriginal() }
    if unsafe target.pointee.directTag != .max || target.pointee.liftsGuard {
      return callOriginalSpecially()
    }
    callOriginalGenerally()
  }

  /// Calls an original in Swift, or one for which the re-entrancy guard is lifted.
  @inline(never)
  private mutating func callOriginalSpecially() {
    if unsafe target.pointee.directTag != .max { return callDirectOriginal() }
    callOriginalByItsCode()
  }

  /// Runs an original in Swift directly, or, if that is not possible, calls its code.
  @inline(__always)
  mutating func callDirectOriginal() {
    if !runDirectOriginal() { callOriginalByItsCode() }
  }

  /// Calls the code of an original, and lifts the re-entrancy guard if the target says so.
  @inline(never)
  private mutating func callOriginalByItsCode() {
    if unsafe target.pointee.liftsGuard {
      unsafe ReentrancyGuard.runningOriginal(of: memory.address) { callOriginalGenerally() }
    } else {
      callOriginalGenerally()
    }
  }

  /// Calls the code of an original, on the copy of a block that has died, and collects its error.
  @inline(__always)
  private mutating func callOriginalGenerally() {
    followBlock()
    if unsafe receiver._withUnsafeGuaranteedRef({ $0.closure?.errors == nil }) {
      return unsafe call(target.pointee.code)
    }
    collectError()
  }

  /// Calls an original that throws in another way than code in C, and keeps its error.
  @inline(never)
  private mutating func collectError() {
    let errors = unsafe receiver._withUnsafeGuaranteedRef { $0.closure?.errors }
    guard let errors else { return }
    if let error = errors.collect({ unsafe call(target.pointee.code) }) { didThrow(error) }
  }

  /// Runs an original in Swift without its code.
  ///
  /// - Returns: False, and nothing has run, if the original must be called.
  @inline(__always)
  private mutating func runDirectOriginal() -> Bool {
    unsafe receiver._withUnsafeGuaranteedRef { $0.direct?(&self) } ?? false
  }

  /// Calls a function with the frame's arguments.
  ///
  /// ## Safety
  /// `function` must have the frame's signature.
  @unsafe
  package mutating func call(_ function: UnsafeRawPointer) {
    unsafe memory.call(function)
    unsafe outcome.setHasResult()
    if unsafe memory.plan.pointee.returnsReference || outcome.keeper != nil { keepResult() }
  }

  /// Calls a block with the frame's arguments, in place of the next hook or the original.
  ///
  /// ## Safety
  /// `block` must have the frame's signature.
  @unsafe
  package mutating func call(_ block: Block) {
    let place = unsafe memory.argumentAddress(0)
    let own = unsafe place.load(as: UInt.self)
    unsafe block.withUnsafePointer {
      unsafe place.storeBytes(of: UInt(bitPattern: $0), as: UInt.self)
    }
    unsafe call(block.invokeAddress)
    unsafe place.storeBytes(of: own, as: UInt.self)
  }

  /// Calls a block with some of the frame's arguments; its result becomes the frame's.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - interface: The call interface of the block.
  ///   - indices: The index of the frame's argument for each of the block's parameters.
  ///
  /// ## Safety
  /// The block's parameters must have the types of the arguments at `indices`, and its result that
  /// of the frame.
  @unsafe
  package mutating func call(_ block: Block, _ interface: CallInterface, passing indices: [Int]) {
    let hasResult = unsafe CallMemory.withTemporary(interface) { own in
      unsafe own.setBlock(block.reference)
      for position in indices.indices {
        guard let from = unsafe try? argumentSlot(indices[position]),
          let to = unsafe try? own.argumentSlot(position + 1)
        else { continue }
        unsafe to.address.copyMemory(from: from.address, byteCount: to.layout.size)
      }
      unsafe own.call(block.invokeAddress)
      withExtendedLifetime(block) {}
      return unsafe memory.copyResult(from: own)
    }
    guard hasResult else { return }
    unsafe outcome.setHasResult()
    if unsafe memory.plan.pointee.returnsReference { keepResult() }
  }
}
