public import TypeEncodings

/// A signature prepared for calls: where each argument and the result are in memory, and how they
/// are passed.
///
/// Interfaces are immutable, cached and safe to use from any thread. The corresponding libffi type
/// is `ffi_cif`.
@safe
public final class CallInterface: Sendable {
  /// The signature that the interface was made for.
  public let signature: MethodSignature

  /// The kind of callee; computed once, because messages ask for it.
  package let form: MethodSignature.Form

  /// The engine that makes the calls: libffi also if the signature has no plan.
  public let engine: CallEngine

  /// How many arguments the signature lists, hidden ones included.
  public var argumentCount: Int { argumentLayouts.count }

  /// The layouts of the arguments, hidden ones included.
  package let argumentLayouts: [TypeLayout]

  /// The layout of the result, nil for void.
  package let resultLayout: TypeLayout?

  // SAFETY: the memory is initialised before the property is set, never written again, and freed in
  // `deinit`.
  @usableFromInline nonisolated(unsafe) package let plan: UnsafePointer<CallPlan>

  /// The calls through libffi; nil if they are not possible.
  let foreign: ForeignCall?

  /// Whether callers may pass more arguments than the signature lists.
  package var isVariadic: Bool { unsafe plan.pointee.isVariadic }

  /// The format by which callers say what more they pass; nil if none is known.
  package let format: VariadicFormat?

  /// Whether calls of both interfaces have the same frames: frame offsets count only where they
  /// determine layouts.
  package func isCalled(as other: CallInterface) -> Bool {
    self === other
      || isVariadic == other.isVariadic
        && signature.withoutFrameOffsets() == other.signature.withoutFrameOffsets()
        && argumentLayouts == other.argumentLayouts && resultLayout == other.resultLayout
  }

  /// Prepares calls of a signature.
  ///
  /// - Parameters:
  ///   - signature: The signature of the functions to call.
  ///   - usesStructReturn: The block's flag, with which the layouts must agree; nil if there is
  ///     none.
  ///   - fixedArgumentCount: For a variadic function, how many arguments are declared.
  ///   - engine: The engine that makes the calls, if it supports the signature.
  ///   - isVariadic: Whether callers may pass more arguments, as those of a hook or closure may.
  ///   - format: The format by which they say what more they pass.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package init(
    _ signature: MethodSignature, usesStructReturn: Bool? = nil, fixedArgumentCount: Int? = nil,
    engine: CallEngine = .current, isVariadic: Bool = false, format: VariadicFormat? = nil
  ) throws(InvocationError) {
    let layouts = try Self.layouts(of: signature, usesStructReturn: usesStructReturn)
    if let fixedArgumentCount {
      try Self.checkPromotions(signature, fixedArgumentCount)
    }
    let isPlanned = engine == .plans && CallEngine.hasPlans && fixedArgumentCount == nil
    foreign =
      isPlanned && signature.passesVectors
      ? nil
      : try ForeignCall(
        signature, layouts.arguments, layouts.result,
        returnsThroughMemory: Self.returnsThroughMemory(signature.result, layouts.result),
        fixedArgumentCount: fixedArgumentCount)
    // SAFETY: the plan is new; until `allocated(with:)` copies it to its own memory, only this
    // initialiser has it.
    let compiled =
      isPlanned
      ? unsafe try PlanCompiler.compile(signature, layouts.arguments, layouts.result) : nil
    guard unsafe compiled != nil || foreign != nil else {
      throw InvocationError(
        .unsupportedType,
        "\(signature) has eight bytes of padding only beside a vector; pass pointers")
    }
    self.engine = unsafe compiled == nil ? .libffi : .plans
    self.format = format
    var (plan, places) =
      unsafe compiled ?? Self.foreignPlan(signature, layouts.arguments, layouts.result)
    unsafe plan.hasResult = layouts.result != nil
    unsafe plan.resultScalar = ScalarKind(signature.result)
    unsafe plan.returnsReference = [.object, .block].contains(signature.result.kind)
    unsafe plan.mayReturnPointer = signature.result.mayHoldPointer
    if isVariadic {
      guard unsafe plan.takesMore else {
        unsafe plan.freeMoves()
        throw InvocationError(
          .unsupportedType,
          "a hook or closure of a variadic \(signature) needs the engine of plans, and values that "
            + "one register or the stack holds; hook the functions that call it")
      }
      unsafe (plan.isVariadic, plan.plainCall) = (true, nil)
    }
    let allocated = unsafe plan.allocated(with: places)
    unsafe self.plan = unsafe allocated
    self.signature = signature
    form = signature.form
    argumentLayouts = layouts.arguments
    resultLayout = layouts.result
    unsafe UnsafeMutablePointer(mutating: allocated).pointee.interface = .passUnretained(self)
  }

  deinit {
    // SAFETY: code that calls through the plan retains the interface, so the plan is not in use.
    unsafe plan.free()
  }
}

extension CallInterface {
  /// The offset of an argument in the memory of a call.
  package func offset(ofArgument index: Int) -> Int { unsafe plan.offset(of: index) }

  /// The kind of number that an argument is, if it is one, and its offset.
  @inlinable
  @inline(__always)
  package func number(ofArgument index: Int) -> (kind: ScalarKind, offset: Int) {
    let place = unsafe plan.place(index).pointee
    return (place.scalar, Int(place.offset))
  }

  /// The kind of number that the result is.
  package var resultNumber: ScalarKind { unsafe plan.pointee.resultScalar }
}

extension CallInterface {
  private static func layouts(
    of signature: MethodSignature, usesStructReturn: Bool?
  ) throws(InvocationError) -> (arguments: [TypeLayout], result: TypeLayout?) {
    let layouts = try InvocationError.passing(
      signature.callLayouts(usesStructReturn: usesStructReturn))
    // Arguments and results are on the stacks of the caller, of the call and of the entry it
    // reaches.
    let sizes = layouts.arguments.map(\.size) + [layouts.result?.size ?? 0]
    let total = sizes.reduce(0) { $0 + min(max($1, 8), frameLimit + 1) }
    guard total <= frameLimit else {
      throw InvocationError(
        .unsupportedType,
        "arguments and result take more than \(frameLimit) bytes of stack; pass pointers instead")
    }
    return layouts
  }

  /// The most bytes that the arguments and the result of a call may take.
  private static let frameLimit = 65_536

  /// Checks the types of variadic arguments: C callers promote them, so smaller types do not occur.
  private static func checkPromotions(
    _ signature: MethodSignature, _ fixedArgumentCount: Int
  ) throws(InvocationError) {
    guard (0...signature.arguments.count).contains(fixedArgumentCount) else {
      throw InvocationError(
        .argumentCount,
        "\(fixedArgumentCount.of("fixed argument")) cannot be among the "
          + "\(signature.arguments.count) that the signature lists")
    }
    let promoted: [TypeEncoding.Kind: String] = [
      .bool: "i", .int8: "i", .uint8: "i", .int16: "i", .uint16: "i", .float: "d",
    ]
    for index in fixedArgumentCount..<signature.arguments.count {
      let encoding = signature.arguments[index].encoding
      if let better = promoted[encoding.kind] {
        throw InvocationError(
          .invalidSignature,
          "argument \(index): a variadic \(encoding) is promoted by the C caller; write \(better)",
          argument: index)
      }
    }
  }

  /// The plan of calls through libffi, whose memory has one argument after the other, then the
  /// result.
  private static func foreignPlan(
    _ signature: MethodSignature, _ arguments: [TypeLayout], _ result: TypeLayout?
  ) -> (plan: CallPlan, places: [CallPlan.Place]) {
    var places: [CallPlan.Place] = []
    var end = 0
    for (argument, layout) in zip(signature.arguments, arguments) {
      end = roundedUp(end, to: max(layout.alignment, 8))
      places.append(
        CallPlan.Place(offset: Int32(end), scalar: ScalarKind(argument.encoding)))
      // Values are read and written eight bytes at a time, whatever the type's size.
      end += roundedUp(max(layout.size, 8), to: 8)
    }
    // SAFETY: only this function has the new plan.
    var plan = unsafe CallPlan()
    unsafe plan.lacksRegisters = true
    unsafe plan.resultOffset = roundedUp(end, to: 16)
    // libffi writes at least one register for a result.
    unsafe plan.memorySize =
      plan.resultOffset + roundedUp(max(result?.size ?? 0, 16), to: 16)
    return unsafe (plan, places)
  }

  private static func roundedUp(_ value: Int, to multiple: Int) -> Int {
    (value + multiple - 1) / multiple * multiple
  }
}

extension CallInterface {
  /// Whether the result is returned through a hidden pointer.
  var returnsThroughMemory: Bool {
    Self.returnsThroughMemory(signature.result, resultLayout)
  }

  private static func returnsThroughMemory(_ result: TypeEncoding, _ layout: TypeLayout?) -> Bool {
    guard let layout, result.kind != .complexLongDouble else { return false }
    return (try? PassingClass(result, layout))?.isReturnedInMemory ?? false
  }
}

extension MethodSignature {
  /// Whether an argument or the result is or holds a vector.
  fileprivate var passesVectors: Bool {
    result.holds { $0.kind == .vector }
      || arguments.contains { $0.encoding.asParameter.holds { $0.kind == .vector } }
  }
}

extension TypeEncoding {
  /// Whether a value of the type may be or contain a pointer.
  fileprivate var mayHoldPointer: Bool {
    kind.isPointer || record != nil
  }
}
