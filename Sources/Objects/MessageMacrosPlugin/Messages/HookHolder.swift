#if Macros
import SwiftSyntax

/// The holder of a hookable function's slot and object: an enumeration that has both or, for a
/// method of each type or a generic function, a variable or a function that finds them by the
/// types.
struct HookHolder {
  /// The name, as declarations write it.
  let name: String

  /// The type that has the holder, as code names it; nil at the top of a file.
  let owner: String?
  let isOfEachType: Bool

  /// The generic parameters of the function; nil if it has neither those nor a where clause.
  let types: [String]?

  init(
    _ name: String, owner: String?, isOfEachType: Bool, of function: FunctionDeclSyntax
  ) {
    (self.name, self.owner, self.isOfEachType) = (name, owner, isOfEachType)
    let parameters = function.genericParameterClause?.parameters.map(\.name.text)
    types = parameters ?? (function.genericWhereClause == nil ? nil : [])
  }

  /// Whether the hooks are found by types.
  var isFound: Bool { isOfEachType || types != nil }

  /// The object to which the messages are sent.
  var object: String {
    guard isFound else { return "\(name).function" }
    let found = (isOfEachType ? "Self." : owner.map { $0 + "." } ?? "") + name
    return found + (types.map { "(\($0.map { $0 + ".self" }.joined(separator: ", ")))" } ?? "")
  }

  /// The type, or the tuple of types, by which the hooks are found; `own` names the method's type.
  func key(_ own: String) -> String {
    let all = (isOfEachType ? [own] : []) + (types ?? [])
    return all.count == 1 ? all[0] : "(\(all.joined(separator: ", ")))"
  }

  /// The parameters of a holder that is a function, as for a generic function; nil for others.
  var parameters: String? {
    types.map { types in "(\(types.map { "_: \($0).Type" }.joined(separator: ", ")))" }
  }

  /// The names of the declarations that are made for the function.
  func names(_ function: String) -> CalledFunction.Names {
    CalledFunction.Names(
      body: Self.named("_body_", function), hooked: Self.named("_hooked_", function),
      slot: isFound ? "\(object).calls.slot" : "\(name).calls",
      question: isFound ? "MessageForwarding.TypeCalls.areHooked" : nil, receiver: object)
  }

  /// The name of a declaration that is made for a function, between backticks if the function is an
  /// operator.
  static func named(_ prefix: String, _ name: String) -> String {
    let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord ? prefix + name : "`\(prefix)\(name)`"
  }
}

extension CalledFunction {
  /// The generic parameters, and what must be true of them.
  var genericClauses: (parameters: String, conditions: String) {
    (
      function.genericParameterClause?.trimmedDescription ?? "",
      function.genericWhereClause.map { " \($0.trimmed)" } ?? ""
    )
  }
}
#endif
