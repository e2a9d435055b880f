internal import BlockABI
internal import TypeEncodings

extension CallInterface {
  /// Calls a function with Swift values, checked against the signature.
  ///
  /// - Parameters:
  ///   - function: The code.
  ///   - receiver: The block that is argument 0, nil for a plain function.
  ///   - values: The values of all other arguments.
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`, `noResult`.
  ///
  /// ## Safety
  /// `function` must have this signature.
  @unsafe
  func call<each Value, Result>(
    _ function: UnsafeRawPointer, receiver: BlockReference?, _ values: repeat each Value,
    returning type: Result.Type
  ) throws(InvocationError) -> Result {
    repeat try SwiftType.refuseFunctions((each Value).self)
    try SwiftType.refuseFunctions(Result.self)
    let returnsVoid = Result.self == Void.self
    if !returnsVoid && resultLayout == nil {
      throw InvocationError(.noResult, "\(signature) returns nothing, a \(Result.self) is asked for")
    }
    var buffer = unsafe ArgumentBuffer(self)
    if let receiver { unsafe buffer.setReceiver(receiver) }
    var index = receiver == nil ? 0 : 1
    for value in repeat each values {
      unsafe try buffer.slot(index).store(value, keeping: &buffer.kept)
      index += 1
    }
    try requireCount(index, hasReceiver: receiver != nil)
    unsafe buffer.call(function)
    if returnsVoid, let nothing = () as? Result { return nothing }
    return unsafe try buffer.resultSlot().load(as: Result.self)
  }

  /// Calls a function with values described at run time.
  ///
  /// ## Safety
  /// `function` must have this signature.
  @unsafe
  func call(
    _ function: UnsafeRawPointer, receiver: BlockReference?, boxed values: [BoxedValue]
  ) throws(InvocationError) -> BoxedValue {
    let hidden = receiver == nil ? 0 : 1
    try requireCount(values.count + hidden, hasReceiver: receiver != nil)
    var buffer = unsafe ArgumentBuffer(self)
    if let receiver { unsafe buffer.setReceiver(receiver) }
    for (index, value) in values.enumerated() {
      unsafe try buffer.slot(index + hidden).store(boxed: value, keeping: &buffer.kept)
    }
    unsafe buffer.call(function)
    return resultLayout == nil ? .void : unsafe try buffer.resultSlot().boxed()
  }

  private func requireCount(_ count: Int, hasReceiver: Bool) throws(InvocationError) {
    guard count == signature.arguments.count else {
      let hidden = hasReceiver ? 1 : 0
      throw InvocationError(
        .argumentCount,
        "\(signature) takes \(signature.arguments.count - hidden) arguments, \(count - hidden) are given"
      )
    }
  }
}
