public import BlockABI
public import TypeEncodings

/// A call as an object: arguments that are set one by one, a target, and a result to be read.
///
/// An invocation can be invoked any number of times, on any block or function of the same
/// signature, copied and described. An argument's index is its place in the signature, hidden
/// arguments included: 1 is a block's first parameter (see `CallContents`).
///
/// The invocation retains text, blocks and objects that are set. It retains what a raw pointer
/// points to only if `retainArguments()` is called. An invocation belongs to one thread at a time.
///
/// The corresponding Objective-C class is `NSInvocation`.
@safe
public final class Invocation {
  // SAFETY: throughout, `memory` and `states` are the invocation's own; the interface's plan lays
  // `memory` out.

  /// The target of an invocation.
  public enum Target: Sendable {
    /// A block.
    case block(Block)
    /// A C function.
    case function(CFunction)
  }

  /// The target that `invoke()` calls; nil if the invocation was made for a signature only.
  public var target: Target? { callee }

  /// The target; only this module reads it, so that the compiler can omit checks of exclusivity.
  var callee: Target? {
    didSet { unsafe functionAddress = unsafe callee?.functionAddress }
  }

  /// The address of the target, if it is a function.
  private(set) var functionAddress: UnsafeRawPointer?

  package let interface: CallInterface

  /// The arguments and the result.
  @usableFromInline let memory: CallMemory

  /// The values that are retained for the arguments, up to the last argument that has some.
  private(set) var kept: [KeptValues] = []
  var keptResult: AnyObject?

  /// The states of the arguments, as many as a plan has places; the state of the result follows
  /// them.
  @usableFromInline let states: UnsafeMutablePointer<ArgumentState>
  @usableFromInline let resultState: UnsafeMutablePointer<ArgumentState>

  /// The state of an argument.
  @usableFromInline
  enum ArgumentState: UInt8 {
    case unset
    /// Set, and nothing is retained for it.
    case plain
    /// Set to a value for which something is retained.
    case keeping
  }

  /// Whether raw C strings are copied, and blocks and objects behind raw pointers retained.
  public internal(set) var argumentsRetained = false

  /// Whether a prepared call relies on the block that is argument 0.
  var isReceiverFixed = false

  /// Whether there is a result to be read.
  public internal(set) var hasResult: Bool {
    @inlinable get { unsafe resultState.pointee != .unset }
    set { unsafe resultState.pointee = newValue ? .plain : .unset }
  }

  /// The error that the method threw at the last call; nil if there is a result, and for calls of
  /// other code.
  public var error: (any Error)? { hasResult ? nil : thrown }

  /// The error of the last call.
  var thrown: (any Error)?

  /// The Swift types of the method; nil if they are not known.
  package var types: MethodTypes?

  /// The rest of a call that was taken out of its frame.
  var continuation: Continuation?

  package init(_ interface: CallInterface, target: Target?) {
    self.interface = interface
    callee = target
    unsafe functionAddress = unsafe target?.functionAddress
    unsafe memory = unsafe CallMemory.allocate(interface)
    let count = unsafe max(interface.argumentCount, CallPlan.leastPlaceCount)
    unsafe states = .allocate(capacity: count + 1)
    unsafe states.initialize(repeating: .unset, count: count + 1)
    unsafe resultState = unsafe states + count
    if case .block(let block) = target { setReceiver(block) }
  }

  deinit {
    unsafe states.deallocate()
    unsafe memory.deallocate()
  }

  /// Describes a call of a block.
  ///
  /// - Parameter block: The target; it is argument 0.
  /// - Throws: `noSignature`, `invalidSignature`, `unsupportedType`.
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
    self.init(try CallInterface.of(encoding), target: nil)
  }

  /// Describes a call by a signature that was made or parsed before, without a target yet.
  ///
  /// - Parameters:
  ///   - signature: The signature of the block or function to be called.
  ///   - fixedArgumentCount: For a variadic function, how many arguments its declaration names; the
  ///     others must have promoted types.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  public convenience init(
    signature: MethodSignature, fixedArgumentCount: Int? = nil
  ) throws(InvocationError) {
    self.init(
      try CallInterface.cached(for: signature, fixedArgumentCount: fixedArgumentCount),
      target: nil)
  }

  /// Retains values for an argument in place of others.
  func keep(_ values: KeptValues, for index: Int) {
    while kept.count <= index { kept.append(KeptValues()) }
    kept[index] = values
  }

  /// Whether an argument, which must exist, has been set.
  func isSet(_ index: Int) -> Bool { unsafe states[index] != .unset }

  /// The signature of the call.
  public var signature: MethodSignature { interface.signature }

  /// Copies the invocation: its target and its arguments, not its result.
  public func copied() -> Invocation {
    let copy = Invocation(interface, target: target)
    // SAFETY: both have the same interface.
    unsafe copy.memory.copyArguments(from: memory)
    copy.kept = kept
    unsafe copy.states.update(from: states, count: interface.argumentCount)
    copy.argumentsRetained = argumentsRetained
    return copy
  }
}

extension Invocation.Target {
  /// The address of a function; nil for a block.
  fileprivate var functionAddress: UnsafeRawPointer? {
    if case .function(let function) = self { unsafe function.address } else { nil }
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
    let call = "\(name)(\(argumentTexts.joined(separator: ", ")))"
    return resultText.map { "\(call) = \($0)" } ?? call
  }
}
