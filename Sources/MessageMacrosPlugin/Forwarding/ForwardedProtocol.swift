#if Macros
import SwiftSyntax

/// A protocol for which a forwarder is made.
struct ForwardedProtocol {
  let name: String
  let access: String
  let attributes: [String]
  let globalActor: String?
  let isSendable: Bool
  let inherited: [String]
  let requirements: [Requirement]
}

/// A requirement of a protocol: a method, or the getter or setter of a property.
struct Requirement {
  enum Kind { case method, getter, setter }

  struct Parameter {
    let label: String?
    let name: String
    let type: TypeSyntax
    let isInout: Bool

    /// Whether it is an expression, which each target evaluates for itself.
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

  /// The `throws` clause; nil if it does not throw.
  let throwing: String?

  /// The spelling of its errors' type.
  let failure: String?
  let attributes: [String]
  let globalActor: String?

  /// The name of the closure and of the policy.
  let name: String
  let selector: String

  /// The number among the optional requirements; nil if it is required.
  let optionalNumber: Int?

  /// The answer of who leaves it out, and of the forwarder if nobody answers; nil if there is none.
  let fallback: String?

  /// Whether it can be sent as a message.
  var isMessage: Bool {
    !parameters.contains { $0.isInout || Spelling.isFunction($0.type) }
      && !(answer.map(Spelling.isFunction) ?? false)
  }

  /// The words between the parameters and the arrow.
  var effects: String { (isAsync ? " async" : "") + (throwing.map { " \($0)" } ?? "") }

  /// The words before a call.
  var marks: String { (throwing == nil ? "" : "try ") + (isAsync ? "await " : "") }
}
#endif
