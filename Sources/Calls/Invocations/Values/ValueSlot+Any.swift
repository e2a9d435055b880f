internal import BlockABI
internal import TypeEncodings

extension ValueSlot {
  /// Reads the slot as a value of any type: of the method's own, if that is known.
  ///
  /// - Parameters:
  ///   - type: `Any`, or an `Optional` of it.
  ///   - own: The method's own type; nil if it is not known.
  /// - Returns: The value.
  /// - Throws: As `load(as:)`.
  func load<Value>(as type: Value.Type, own: Any.Type?) throws(InvocationError) -> Value {
    guard let own, (try? SwiftType.refuseFunctions(own)) != nil else {
      return unsafe try load(as: type)
    }
    if Value.self == Any?.self, unsafe isPointer, unsafe pointer == nil {
      return unsafe try load(as: type)
    }
    let slot = unsafe self
    func read<Own>(_ type: Own.Type) -> Result<Any, InvocationError> {
      Result { () throws(InvocationError) in unsafe try slot.load(as: type) }
    }
    guard let value = try _openExistential(own, do: read).get() as? Value else {
      throw unsafe mismatch(type)
    }
    return value
  }

  /// The value as the Swift type that its C type is imported as, if there is one, text as `String`,
  /// a block as `Block`, and other values as `CValue`.
  ///
  /// - Throws: `unexpectedNull`, `unsupportedType`, `typeMismatch` if there is no value.
  func anyValue() throws(InvocationError) -> Any {
    switch unsafe kind {
    case .void: throw unsafe mismatch(Any.self)
    case .bool: return unsafe try load(as: Bool.self)
    case .int8: return unsafe try load(as: Int8.self)
    case .uint8: return unsafe try load(as: UInt8.self)
    case .int16: return unsafe try load(as: Int16.self)
    case .uint16: return unsafe try load(as: UInt16.self)
    case .int32: return unsafe try load(as: Int32.self)
    case .uint32: return unsafe try load(as: UInt32.self)
    case .int64: return unsafe try load(as: Int.self)
    case .uint64: return unsafe try load(as: UInt.self)
    case .int128: return unsafe try load(as: Int128.self)
    case .uint128: return unsafe try load(as: UInt128.self)
    case .float: return unsafe try load(as: Float.self)
    case .double: return unsafe try load(as: Double.self)
    case .complexFloat: return unsafe try load(as: ComplexFloat.self)
    case .complexDouble: return unsafe try load(as: ComplexDouble.self)
    default: break
    }
    guard unsafe isPointer else { return unsafe try value() }
    guard let pointer = unsafe pointer else {
      throw unsafe error(.unexpectedNull, "the \(kind) is nil; ask for an Optional")
    }
    if unsafe kind == .selector { return unsafe try load(as: Selector.self) }
    switch unsafe try value() {
    case .cString(let text?): return text
    case .class(let type?): return type
    case .object(let object?): return object
    case .block(let block?): return block
    default: return UnsafeRawPointer(pointer)
    }
  }
}

/// The Swift types of a method, by which values are read as `Any`.
package struct MethodTypes: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: metatypes are immutable.

  /// The types of the parameters, behind the receiver and the selector.
  let parameters: [Any.Type]
  let result: Any.Type

  package init(parameters: [Any.Type], result: Any.Type) {
    self.parameters = parameters
    self.result = result
  }

  /// The type of an argument; nil for hidden ones.
  subscript(argument index: Int) -> Any.Type? {
    parameters.indices.contains(index - 2) ? parameters[index - 2] : nil
  }
}

extension CallContents where Self: ~Copyable {
  /// The arguments that a caller writes, as `argument(_:as:)` reads them as `Any`; nil for a null
  /// pointer and for what has not been set.
  ///
  /// They are the counterpart of `-arguments` of an Objective-C `AspectInfo`. A value that cannot
  /// be read, such as one of a type that the signature does not tell, is a `CValue.opaque`.
  ///
  /// - Complexity: All arguments are read each time.
  public var values: [Any] {
    ownArgumentIndices.map { index in
      do throws(InvocationError) {
        if let value = try argument(index, as: Any?.self) { return value }
      } catch {
        if error.code != .missingArgument { return arguments[index] }
      }
      return Any?.none as Any
    }
  }
}
