internal import TypeEncodings

// SAFETY, for the whole file: the addresses are valid while the call's frame lives; the image is laid
// out by the plan.

/// Where the values of a call under way lie: what a frame hands on without being copied.
@unsafe
@usableFromInline
package struct CallValues {
  @usableFromInline let image: UnsafeMutableRawPointer
  @usableFromInline let plan: UnsafePointer<CallPlan>

  /// What the handler proceeds to where that is the original.
  @usableFromInline let target: UnsafePointer<CallTarget>

  @inline(__always)
  init(_ target: UnsafePointer<CallTarget>, _ image: UnsafeMutableRawPointer) {
    unsafe self.image = unsafe image
    unsafe plan = unsafe target.pointee.plan
    unsafe self.target = unsafe target
  }

  /// A block's death, or a call without a frame, which have no values.
  init(deathOf receiver: CallReceiver) {
    // Nothing is read or written there: the plan has no values.
    unsafe image = unsafe UnsafeMutableRawPointer(mutating: CallPlan.noValues)
    unsafe plan = CallPlan.noValues
    unsafe target = unsafe receiver.target
  }

  /// What the call runs; it is protected by the call, which counts no reference to it.
  var receiver: Unmanaged<CallReceiver> {
    unsafe target.pointee.receiver.unsafelyUnwrapped
  }

  /// Whether there are any.
  var areThere: Bool { unsafe plan != CallPlan.noValues }

  package var interface: CallInterface {
    unsafe receiver._withUnsafeGuaranteedRef { $0.interface }
  }

  /// How many arguments the caller does not write.
  var hiddenArgumentCount: Int { unsafe Int(target.pointee.hiddenArgumentCount) }

  @usableFromInline
  package func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    unsafe try argumentSlot(index).load(as: Value.self)
  }

  /// The memory of an argument.
  package func argumentSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard unsafe areThere else { throw unsafe noValues }
    let interface = unsafe interface
    let arguments = interface.signature.arguments
    guard arguments.indices.contains(index) else {
      throw InvocationError(
        .argumentIndex,
        "there is no argument \(index): the signature \(interface.signature) lists 0 to \(arguments.count - 1)",
        argument: index)
    }
    let place = unsafe image + plan.offset(of: index)
    if index == 0 { unsafe followBlock() }
    return unsafe ValueSlot(
      arguments[index].encoding, interface.argumentLayouts[index], .argument(index), at: place)
  }

  /// The memory of the result.
  package func resultSlot() throws(InvocationError) -> ValueSlot {
    guard unsafe areThere else { throw unsafe noValues }
    guard let layout = unsafe interface.resultLayout else {
      throw InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
    }
    return unsafe ValueSlot(
      interface.signature.result, layout, .result, at: plan.pointee.resultAddress(image))
  }

  var noResultYet: InvocationError {
    guard unsafe areThere else { return unsafe noValues }
    return unsafe interface.resultLayout == nil
      ? InvocationError(.noResult, unsafe "\(interface.signature) returns nothing")
      : InvocationError(
        .noResult, "there is no result yet: set one, proceed, or read it in the position `after`")
  }

  private var noValues: InvocationError {
    unsafe interface.isFramed
      ? InvocationError(
        .noResult, "a block that dies is not being called: there are no values to read")
      : InvocationError(
        .unsupportedType,
        "the call has no frame, as nobody knows where its arguments and its result are; give the "
          + "block's true signature with `assuming(signature:)` to read them")
  }

  /// The address of the block that is called.
  var block: UnsafeRawPointer? {
    unsafe (image + plan.offset(of: 0)).load(as: UnsafeRawPointer?.self)
  }

  /// Gives the call the copy of its block, if the block is dead.
  func followBlock() {
    let copy = unsafe target.pointee.copy.pointee
    guard copy != 0 else { return }
    // Argument 0 is the block.
    unsafe (image + plan.offset(of: 0)).storeBytes(of: copy, as: UInt.self)
  }
}
