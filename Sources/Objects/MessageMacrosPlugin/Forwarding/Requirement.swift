#if Macros
import SwiftSyntax

/// A requirement of a protocol: a method, or the getter or setter of a property.
struct Requirement {
  enum Kind { case method, getter, setter }

  struct Parameter {
    let label: String?

    /// Whether the label is also the parameter's name in the function's body.
    let isNamedByLabel: Bool
    let name: String
    let type: TypeSyntax
    let isInout: Bool

    /// Whether the argument is an expression, which each target evaluates for itself.
    let isAutoclosure: Bool

    /// The argument of a call that passes the parameter on.
    var argument: String { (isInout ? "&" : "") + name + (isAutoclosure ? "()" : "") }
  }

  let kind: Kind

  /// The base name of the method, or the property's name.
  let base: String
  let parameters: [Parameter]

  /// The type of the answer; nil if there is none.
  let answer: TypeSyntax?
  let isAsync: Bool

  /// Whether the requirement throws.
  let isThrowing: Bool

  /// The type of the errors; nil if it is not written.
  let error: TypeSyntax?
  let attributes: [String]
  let globalActor: String?

  /// The name of the closure and of the policy.
  let name: String
  let selector: String

  /// Whether a type may leave the requirement out.
  let isOptional: Bool

  /// The answer of a type that leaves the requirement out, and of the forwarder if no target
  /// answers; nil if there is none.
  let fallback: String?

  /// The requirement as it is declared, without its answer; the setter of a property is left out
  /// with its getter.
  var signature: String {
    guard kind == .method else { return Spelling.bare(base) }
    let list = parameters.map { "\($0.label ?? "_"):\($0.type)" }.joined(separator: ",")
    return "\(Spelling.bare(base))(\(list))".filter { !$0.isWhitespace }
  }

  /// Whether the requirement can be sent as a message.
  var isMessage: Bool {
    let types = parameters.map(\.type) + (answer.map { [$0] } ?? [])
    return !parameters.contains(where: \.isInout)
      && !types.contains { Spelling.isFunction($0) || Spelling.isTuple($0) }
  }

  /// The words before a call, such as `try await`.
  var marks: String { (isThrowing ? "try " : "") + (isAsync ? "await " : "") }

  /// The words between the parameters and the arrow.
  ///
  /// - Parameter spelled: Spells the type of the errors.
  /// - Returns: The words.
  func effects(_ spelled: (TypeSyntax) -> String) -> String {
    (isAsync ? " async" : "")
      + (isThrowing ? " throws" + (error.map { "(\(spelled($0)))" } ?? "") : "")
  }

  /// The use of the requirement: a call, or an access of the property.
  func use(of object: String, _ arguments: [String]) -> String {
    let member = "\(object).\(base)"
    switch kind {
    case .method:
      let labelled = zip(parameters, arguments).map { parameter, argument in
        (parameter.label.map { "\($0): " } ?? "") + argument
      }
      return "\(marks)\(member)(\(labelled.joined(separator: ", ")))"
    case .getter: return marks + member
    case .setter: return "\(member) = \(arguments[0])"
    }
  }
}
#endif
