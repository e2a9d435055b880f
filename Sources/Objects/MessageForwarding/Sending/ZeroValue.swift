internal import TypeEncodings

/// The answer of a message to nil: the zero of a type, as in Objective-C.
enum ZeroValue {
  /// The zero of a type: nothing, nil, the number zero, an empty string or collection, or all zero
  /// bytes for a structure of types that C has.
  ///
  /// - Parameter type: The type.
  /// - Returns: Its zero.
  /// - Throws: `deadReceiver` if it has none.
  static func of<Value>(_ type: Value.Type) throws(MessageError) -> Value {
    // SAFETY: `Zero` is `Value`: each function below is called with `Value.self`.
    func same<Zero>(_ zero: Zero) -> Value { unsafe unsafeBitCast(zero, to: Value.self) }
    func none<Zero: ExpressibleByNilLiteral>(_: Zero.Type) -> Value { same(nil as Zero) }
    func number<Zero: AdditiveArithmetic>(_: Zero.Type) -> Value { same(Zero.zero) }
    func list<Zero: RangeReplaceableCollection>(_: Zero.Type) -> Value { same(Zero()) }
    func set<Zero: SetAlgebra>(_: Zero.Type) -> Value { same(Zero()) }
    func zero<Zero: AnyAsyncAnswer>(_: Zero.Type) throws(MessageError) -> Value {
      same(try Zero.zero())
    }
    func dictionary<Zero: ExpressibleByDictionaryLiteral>(_: Zero.Type) -> Value {
      same([:] as Zero)
    }

    switch Value.self {
    case is Void.Type: return same(())
    case let type as any ExpressibleByNilLiteral.Type: return none(type)
    case let type as any AdditiveArithmetic.Type: return number(type)
    case let type as any RangeReplaceableCollection.Type: return list(type)
    case let type as any SetAlgebra.Type: return set(type)
    case let type as any ExpressibleByDictionaryLiteral.Type: return dictionary(type)
    case let type as any AnyAsyncAnswer.Type: return try zero(type)
    default: break
    }
    guard ZeroBytes.areValue(of: Value.self) else {
      throw MessageError(
        .deadReceiver,
        "\(Value.self) has no value that stands for nothing; ask for an Optional, \(Value.self)?")
    }
    // SAFETY: `areValue` says that all zero bytes are a value of the type.
    return unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { memory in
      unsafe UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: 0)
      return unsafe memory[0]
    }
  }
}

/// The answer for senders that ignore the answer.
@usableFromInline
enum NoAnswer {
  /// The empty tuple, if `Outcome` is `Void`; a cast alone would also succeed for `Any`.
  @inlinable
  @inline(__always)
  static func value<Outcome>(of type: Outcome.Type) -> Outcome? {
    Outcome.self == Void.self ? () as? Outcome : nil
  }
}
