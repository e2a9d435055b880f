public import BlockABI
public import TypeEncodings

/// A call as an object: arguments that are set one by one, a target, and a result to be read.
///
/// It can be invoked any number of times, on any block or function of the same signature, copied and
/// described. Arguments count from 0 over everything the signature lists, hidden ones included: 1 is
/// a block's first parameter.
///
/// Text, blocks and objects that are set are kept by the invocation. What a raw pointer points to is
/// not, unless `retainArguments()` is called. An invocation belongs to one thread at a time.
///
/// The corresponding Objective-C class is `NSInvocation`.
@safe
public final class Invocation {
  /// What an invocation calls.
  public enum Target: Sendable {
    /// A block.
    case block(Block)
    /// A C function.
    case function(CFunction)
  }

  /// What `invoke()` calls; nil if the invocation was made for a signature only.
  public private(set) var target: Target?

  private let interface: CallInterface
  private let buffer: ArgumentBuffer
  private var kept: [Int: KeptValues] = [:]
  private var keptResult: AnyObject?

  /// Which arguments have been set.
  private var isSet: [Bool]

  /// Whether the memory of raw C strings, and blocks and objects behind raw pointers, is kept too.
  public private(set) var argumentsRetained = false

  /// Whether there is a result to be read.
  public private(set) var hasResult = false

  private init(_ interface: CallInterface, target: Target?) {
    self.interface = interface
    self.target = target
    unsafe buffer = unsafe ArgumentBuffer(interface)
    isSet = Array(repeating: false, count: interface.signature.arguments.count)
  }

  /// Describes a call of a block.
  ///
  /// - Parameter block: The target; it is argument 0.
  /// - Throws: `unusableBlock`, `invalidSignature`, `unsupportedType`.
  public convenience init(_ block: Block) throws(InvocationError) {
    self.init(try block.callInterface, target: .block(block))
  }

  /// Describes a call of a C function.
  ///
  /// - Parameter function: The target.
  public convenience init(_ function: CFunction) {
    self.init(function.interface, target: .function(function))
  }

  /// Describes a call without a target yet.
  ///
  /// - Parameter encoding: The type encoding of the block or function to be called.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  public convenience init(signature encoding: String) throws(InvocationError) {
    self.init(try CallInterface.parsing(encoding), target: nil)
  }

  /// The signature of the call.
  public var signature: MethodSignature { interface.signature }

  /// Copies the invocation: its target and its arguments, not its result.
  public func copy() -> Invocation {
    let copy = Invocation(interface, target: target)
    // SAFETY: both buffers have the same interface.
    unsafe copy.buffer.copyArguments(from: buffer)
    copy.kept = kept
    copy.isSet = isSet
    copy.argumentsRetained = argumentsRetained
    return copy
  }
}

extension Invocation {
  /// Sets an argument.
  ///
  /// - Parameters:
  ///   - index: 0 for a block's own pointer, 1 for its first parameter.
  ///   - value: The value; it converts as for `Block.call(_:returning:)`.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public func setArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    try CallFrame.refuseFunctions(Value.self)
    try storeArgument(index, value)
  }

  /// Reads an argument.
  ///
  /// - Parameters:
  ///   - index: 0 for a block's own pointer, 1 for its first parameter.
  ///   - type: The Swift type to read it as.
  /// - Returns: The value; objects and blocks are retained.
  /// - Throws: `argumentIndex`, `missingArgument`, `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func argument<Value>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    try CallFrame.refuseFunctions(Value.self)
    return try loadArgument(index)
  }

  /// Reads the result of the last call.
  ///
  /// - Parameter type: The Swift type to read it as.
  /// - Returns: The value; objects and blocks are retained.
  /// - Throws: `noResult` if there is none or none yet; `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func result<Value>(as type: Value.Type = Value.self) throws(InvocationError) -> Value {
    try CallFrame.refuseFunctions(Value.self)
    return try loadResult()
  }

  /// Sets an argument to a value described at run time.
  ///
  /// - Parameters:
  ///   - index: 0 for a block's own pointer, 1 for its first parameter.
  ///   - value: The value.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public func setBoxedArgument(_ index: Int, _ value: BoxedValue) throws(InvocationError) {
    unsafe try set(index) { slot, kept throws(InvocationError) in
      unsafe try slot.store(boxed: value, keeping: &kept)
    }
  }

  /// Reads an argument as a value described at run time.
  ///
  /// - Parameter index: 0 for a block's own pointer, 1 for its first parameter.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `missingArgument`, `unsupportedType`.
  public func boxedArgument(_ index: Int) throws(InvocationError) -> BoxedValue {
    unsafe try setSlot(index).boxed()
  }

  /// Reads the result of the last call as a value described at run time.
  ///
  /// - Throws: `noResult`, `unsupportedType`.
  public func boxedResult() throws(InvocationError) -> BoxedValue {
    try requireResult()
    return unsafe try buffer.resultSlot().boxed()
  }

  @usableFromInline
  func storeArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    unsafe try set(index) { slot, kept throws(InvocationError) in
      unsafe try slot.store(value, keeping: &kept)
    }
  }

  @usableFromInline
  func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    unsafe try setSlot(index).load(as: Value.self)
  }

  @usableFromInline
  func loadResult<Value>() throws(InvocationError) -> Value {
    try requireResult()
    return unsafe try buffer.resultSlot().load(as: Value.self)
  }

  private func set(
    _ index: Int,
    _ store: (ValueSlot, inout KeptValues) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    let slot = unsafe try buffer.slot(index)
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    if argumentsRetained { unsafe slot.retain(keeping: &kept) }
    self.kept[index] = kept
    isSet[index] = true
  }

  private func setSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    let slot = unsafe try buffer.slot(index)
    guard isSet[index] || index == 0 && isBlockCall else {
      throw InvocationError(.missingArgument, "argument \(index) has not been set", argument: index)
    }
    return unsafe slot
  }

  private func requireResult() throws(InvocationError) {
    guard hasResult else {
      throw InvocationError(
        .noResult,
        interface.resultLayout == nil
          ? "\(signature) returns nothing" : "the invocation has not been invoked yet")
    }
  }

  /// Whether argument 0 is a block, which is set by the target.
  private var isBlockCall: Bool { signature.form == .block }
}

extension Invocation {
  /// Keeps what the arguments point to: copies C strings, copies blocks and retains objects.
  ///
  /// It holds for what is set later too. Memory behind other pointers is not known and not kept.
  /// The corresponding Objective-C method is `-[NSInvocation retainArguments]`.
  public func retainArguments() {
    guard !argumentsRetained else { return }
    argumentsRetained = true
    for index in isSet.indices where isSet[index] {
      guard let slot = unsafe try? buffer.slot(index) else { continue }
      unsafe slot.retain(keeping: &kept[index, default: KeptValues()])
    }
  }

  /// Calls the target.
  ///
  /// - Throws: `missingTarget`, `missingArgument`.
  public func invoke() throws(InvocationError) {
    switch target {
    case .block(let block): try invoke(on: block)
    case .function(let function):
      try requireArguments(from: 0)
      unsafe call(function.address)
    case nil:
      throw InvocationError(
        .missingTarget, "the invocation has no target; use invoke(on:) or make it for a block")
    }
  }

  /// Calls a block, which becomes the target.
  ///
  /// - Parameter block: A block of a compatible signature.
  /// - Throws: `missingArgument`; `typeMismatch` with the differences; `unusableBlock`.
  public func invoke(on block: Block) throws(InvocationError) {
    let own = try block.callInterface
    try requireSame(own, "block")
    try requireArguments(from: 1)
    target = .block(block)
    let slot = unsafe try buffer.slot(0)
    unsafe block.withUnsafePointer { pointer in
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: pointer)
    }
    unsafe call(block.invokeAddress)
    withExtendedLifetime(block) {}
  }

  /// Calls a function, which becomes the target.
  ///
  /// - Parameter function: A function of a compatible signature.
  /// - Throws: `missingArgument`; `typeMismatch` with the differences.
  public func invoke(on function: CFunction) throws(InvocationError) {
    try requireSame(function.interface, "function")
    try requireArguments(from: 0)
    target = .function(function)
    unsafe call(function.address)
  }

  private func requireSame(
    _ other: CallInterface, _ noun: String
  ) throws(InvocationError) {
    guard interface !== other else { return }
    let differences = signature.differences(
      from: other.signature, ours: "invocation", theirs: noun)
    guard differences.isEmpty else {
      throw InvocationError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "))
    }
  }

  private func requireArguments(from first: Int) throws(InvocationError) {
    guard let missing = isSet.indices.dropFirst(first).first(where: { !isSet[$0] }) else { return }
    throw InvocationError(
      .missingArgument, "argument \(missing) has not been set", argument: missing)
  }

  /// ## Safety
  /// `function` must have the invocation's signature.
  @unsafe
  private func call(_ function: UnsafeRawPointer) {
    unsafe buffer.call(function)
    hasResult = interface.resultLayout != nil
    // An object or block is returned unowned: it is kept until the next call.
    guard hasResult, let slot = unsafe try? buffer.resultSlot() else { return }
    keptResult = unsafe slot.retainedReference()
    if let block = keptResult as? BlockReference {
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
  }
}

extension Invocation: CustomStringConvertible {
  /// The target with the arguments, and the result where there is one.
  public var description: String {
    let name =
      switch target {
      case .block(let block): block.implementation?.name ?? "block"
      case .function(let function): function.symbol ?? "function"
      case nil: "no target"
      }
    let arguments = isSet.indices.dropFirst(signature.hiddenArgumentCount).map { index in
      isSet[index] ? unsafe (try? buffer.slot(index))?.text ?? "?" : "unset"
    }
    let result = hasResult ? unsafe (try? buffer.resultSlot())?.text : nil
    let call = "\(name)(\(arguments.joined(separator: ", ")))"
    return result.map { "\(call) = \($0)" } ?? call
  }
}
