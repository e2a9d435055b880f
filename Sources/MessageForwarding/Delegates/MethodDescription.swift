public import Invocations
public import TypeEncodings

/// A method that a `MessageProtocol` declares: its name and its signature.
///
/// The corresponding Objective-C type is `struct objc_method_description`.
public struct MethodDescription: Sendable {
  /// The name of the message.
  public let selector: Selector

  /// Whether who conforms to the protocol must answer the message.
  public let isRequired: Bool

  /// Whether classes answer the message, and not their instances.
  public private(set) var isClassMethod = false

  let result: Result<MethodSignature, MessageError>

  private init(
    _ selector: Selector, isRequired: Bool, _ signature: Result<MethodSignature, MessageError>
  ) {
    self.selector = selector
    self.isRequired = isRequired
    result = signature
  }

  /// The signature, receiver and selector included.
  ///
  /// - Throws: `invalidSignature`, `invalidMethod`; never in a description that a protocol gave.
  public var signature: MethodSignature {
    get throws(MessageError) { try result.get() }
  }

  /// Declares a method that must be there, by its encoding.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - encoding: The signature with receiver and selector, such as `v@:@i`.
  /// - Returns: The description.
  public static func required(_ selector: Selector, signature encoding: String) -> Self {
    Self(selector, isRequired: true, parsed(selector, encoding))
  }

  /// Declares a method that may be left out, by its encoding.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - encoding: The signature with receiver and selector.
  /// - Returns: The description.
  public static func optional(_ selector: Selector, signature encoding: String) -> Self {
    Self(selector, isRequired: false, parsed(selector, encoding))
  }

  /// Declares a method that must be there, by the Swift types of its arguments and its result.
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

  /// Declares a method that may be left out, by the Swift types of its arguments and its result.
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

  /// The same method as one that classes answer.
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
      guard types.arguments.count == selector.argumentCount else {
        throw MessageError(
          .invalidMethod,
          "`\(selector)`: the name has \(selector.argumentCount) colons, \(types.arguments.count) types "
            + "are given; a selector has one for each argument", selector: selector)
      }
      return types.signature(returning: result)
    }
  }
}

extension MethodDescription: CustomStringConvertible {
  /// The name and the signature, `+` before a class method.
  public var description: String {
    let signature = try? result.get()
    return (isClassMethod ? "+" : "") + selector.name + (signature.map { " (\($0))" } ?? "")
  }
}
