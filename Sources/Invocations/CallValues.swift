internal import TypeEncodings

/// The addresses of the values of a call in progress, which can be copied though its frame cannot.
@unsafe
@usableFromInline
package struct CallValues {
  // SAFETY: the addresses are valid while the call's frame lives: the call protects the receiver,
  // which owns the target and retains the owner of the plan. The image is laid out by the plan.

  @usableFromInline let image: UnsafeMutableRawPointer
  @usableFromInline let plan: UnsafePointer<CallPlan>

  /// The receiver's memory, with the original to which a handler may proceed.
  @usableFromInline let target: UnsafePointer<CallTarget>

  @inline(__always)
  init(_ target: UnsafePointer<CallTarget>, _ image: UnsafeMutableRawPointer) {
    unsafe self.image = unsafe image
    unsafe plan = unsafe target.pointee.plan
    unsafe self.target = unsafe target
  }

  /// Creates the values of a block's death or of a call without a frame: there are none.
  init(withoutValues receiver: CallReceiver) {
    // SAFETY: nothing is read from or written to the image, because the plan has no values.
    unsafe image = unsafe UnsafeMutableRawPointer(mutating: CallPlan.noValues)
    unsafe plan = CallPlan.noValues
    unsafe target = unsafe receiver.target
  }

  /// The call's receiver, unretained: the call's hazard pointer protects it.
  var receiver: Unmanaged<CallReceiver> {
    unsafe target.pointee.receiver.unsafelyUnwrapped
  }

  /// Whether there are values: not at a block's death, nor in a call without a frame.
  var exist: Bool { unsafe plan != CallPlan.noValues }

  package var interface: CallInterface {
    unsafe receiver._withUnsafeGuaranteedRef { $0.interface }
  }

  /// 1 for a block, which its caller passes to its code as argument 0; else 0.
  var hiddenArgumentCount: Int { unsafe Int(target.pointee.hiddenArgumentCount) }

  @usableFromInline
  package func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    unsafe try argumentSlot(index).load(as: Value.self)
  }

  /// The memory of an argument.
  package func argumentSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard unsafe exist else { throw unsafe noValues }
    let interface = unsafe interface
    let arguments = interface.signature.arguments
    guard arguments.indices.contains(index) else {
      throw InvocationError(
        .argumentIndex,
        "there is no argument \(index): the signature \(interface.signature) lists 0 to \(arguments.count - 1)",
        argument: index)
    }
    // SAFETY: the index has been checked, so the plan has the argument's offset.
    let place = unsafe image + plan.offset(of: index)
    if index == 0 { unsafe followBlock() }
    return unsafe ValueSlot(
      arguments[index].encoding, interface.argumentLayouts[index], .argument(index), at: place)
  }

  /// The memory of the result.
  package func resultSlot() throws(InvocationError) -> ValueSlot {
    guard unsafe exist else { throw unsafe noValues }
    guard let layout = unsafe interface.resultLayout else {
      throw InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
    }
    return unsafe ValueSlot(
      interface.signature.result, layout, .result, at: plan.pointee.resultAddress(image))
  }

  var noResultYet: InvocationError {
    guard unsafe exist else { return unsafe noValues }
    return unsafe interface.resultLayout == nil
      ? InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
      : InvocationError(
        .noResult, "there is no result yet: set one, proceed, or read it in the position `after`")
  }

  private var noValues: InvocationError {
    unsafe interface.isFramed
      ? InvocationError(
        .noResult, "the block is dying, and not being called: there are no values to read")
      : InvocationError(
        .unsupportedType,
        "the call has no frame, because the block's signature is unknown; give the block's true "
          + "signature with `assuming(signature:)` to read arguments and the result")
  }

  /// The address of the block that is called.
  ///
  /// ## Safety
  /// The call must be one of a block.
  var block: UnsafeRawPointer? {
    unsafe (image + plan.offset(of: 0)).load(as: UnsafeRawPointer?.self)
  }

  /// If the called block has died, makes its copy argument 0.
  func followBlock() {
    // SAFETY: `copy` is valid as long as the target.
    let copy = unsafe target.pointee.copy.pointee
    guard copy != 0 else { return }
    // SAFETY: only a block has a copy, and then argument 0 is the block.
    unsafe (image + plan.offset(of: 0)).storeBytes(of: copy, as: UInt.self)
  }
}
