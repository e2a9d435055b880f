public import Invocations
public import TypeEncodings

/// A method that a `MessageProtocol` declares: its name and its signature.
///
/// The corresponding Objective-C type is `struct objc_method_description`.
public struct MethodDescription: Sendable {
  /// The name of the message.
  public let selector: Selector

  /// Whether a delegate for the protocol must answer the message.
  public let isRequired: Bool

  /// Whether the method is a class method, not one of the instances.
  public private(set) var isClassMethod = false

  let checkedSignature: Result<MethodSignature, MessageError>

  private init(
    _ selector: Selector, isRequired: Bool, _ signature: Result<MethodSignature, MessageError>
  ) {
    self.selector = selector
    self.isRequired = isRequired
    checkedSignature = signature
  }

  /// The signature, receiver and selector included.
  ///
  /// - Throws: `invalidSignature`, `invalidMethod`; not if the description is that of a protocol.
  public var signature: MethodSignature {
    get throws(MessageError) { try checkedSignature.get() }
  }

  /// Declares a required method by its encoding.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - encoding: The signature with receiver and selector, such as `v@:@i`.
  /// - Returns: The description.
  public static func required(_ selector: Selector, signature encoding: String) -> Self {
    Self(selector, isRequired: true, parsed(selector, encoding))
  }

  /// Declares an optional method by its encoding.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - encoding: The signature with receiver and selector.
  /// - Returns: The description.
  public static func optional(_ selector: Selector, signature encoding: String) -> Self {
    Self(selector, isRequired: false, parsed(selector, encoding))
  }

  /// Declares a required method by the Swift types of its arguments and its result.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - types: The types of the arguments.
  ///   - result: The type of the result.
  /// - Returns: The description, with the signature that a `Method` of these types has.
  public static func required<each Argument, Outcome>(
    _ selector: Selector, taking types: repeat (each Argument).Type,
    returning result: Outcome.Type = Void.self
  ) -> Self {
    Self(selector, isRequired: true, derived(selector, (repeat each Argument).self, result))
  }

  /// Declares an optional method by the Swift types of its arguments and its result.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - types: The types of the arguments.
  ///   - result: The type of the result.
  /// - Returns: The description, with the signature that a `Method` of these types has.
  public static func optional<each Argument, Outcome>(
    _ selector: Selector, taking types: repeat (each Argument).Type,
    returning result: Outcome.Type = Void.self
  ) -> Self {
    Self(selector, isRequired: false, derived(selector, (repeat each Argument).self, result))
  }

  /// Returns the method as a class method.
  public func ofClass() -> Self {
    var copy = self
    copy.isClassMethod = true
    return copy
  }

  private static func parsed(
    _ selector: Selector, _ encoding: String
  ) -> Result<MethodSignature, MessageError> {
    Result { () throws(MessageError) in try MethodSignature(method: selector, encoding) }
  }

  private static func derived(
    _ selector: Selector, _ arguments: Any.Type, _ result: Any.Type
  ) -> Result<MethodSignature, MessageError> {
    Result { () throws(MessageError) in
      let types = try ArgumentTypes.of(arguments)
      if let error = selector.mismatch(types.arguments.count, takenBy: "the declaration") {
        throw error
      }
      return types.signature(returning: result)
    }
  }
}

extension MethodDescription: CustomStringConvertible {
  /// The name and the signature, `+` before a class method.
  public var description: String {
    let signature = try? checkedSignature.get()
    return (isClassMethod ? "+" : "") + selector.name + (signature.map { " (\($0))" } ?? "")
  }
}
