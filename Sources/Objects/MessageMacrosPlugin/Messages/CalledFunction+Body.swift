#if Macros
import SwiftSyntax

/// A method whose body is listed as a `CalledBody`, which has the slot too: the code of its slow call and
/// of its table's entry belongs to the types, and is not made for each method.
extension CalledFunction {
  /// Whether the body is listed so.
  ///
  /// Its arguments are plain values, and its answer is as it is written. Only the table may name what is
  /// deprecated.
  var isListedBody: Bool {
    made.bodyOwner != nil && !isOfClass && !isAsync && answer == nil && !isOpaque && !isRethrowing
      && !hasOwnership && function.attributes.attribute("available") == nil
      && parameters.allSatisfy { parameter in
        parameter.ellipsis == nil && !Spelling.isInout(parameter)
          && LentParameter(parameter) == nil && !parameter.type.has("autoclosure")
      }
  }

  /// The types of the arguments, as one.
  private var argumentsType: String {
    let types = signature.parameters.map { Spelling.asValue($0, isCalled: true) }
    return types.count == 1 ? types[0] : "(\(types.joined(separator: ", ")))"
  }

  /// The type of the errors.
  private var failure: String {
    guard isThrowing else { return "Never" }
    return effects?.throwsClause?.type?.trimmedDescription ?? "any Swift.Error"
  }

  /// The declaration of what has the slot and the body, for messages of a name; nil if the body is
  /// listed otherwise.
  func listedBody(_ selector: String) -> String? {
    guard isListedBody, let owner = made.bodyOwner, let sent = made.sent else { return nil }
    let types = [argumentsType, closureResult, failure].joined(separator: ", ")
    let name = Spelling.literal(selector)
    return "MessageForwarding.CalledBody<\(types)>(\(name)) { \(owner).\(sent) }"
  }

  /// The comment that the compiler shows if an argument cannot be passed on; nil where that cannot be.
  ///
  /// It shows none at the body's place.
  var hint: String? {
    parameters.contains { Spelling.isName($0.type) && Spelling.zero(of: $0.type) == nil }
      ? "  // If an argument is a function behind a typealias, write @escaping or its whole type.\n"
      : nil
  }

  /// The call with hooks; nil if the body is listed otherwise.
  func callOfListedBody(_ names: [String]) -> String? {
    guard isListedBody else { return nil }
    let values = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    let call = isThrowing ? "callThrowing" : "call"
    return
      "return \(marks)MessageForwarding.CalledBody.\(call)(\(values), \(made.slot), \(made.receiver))"
  }

  /// What messages call: it takes the arguments as one; nil if the body is listed otherwise.
  var sentFunction: String? {
    guard isListedBody, let owner = made.bodyOwner, let sent = made.sent else { return nil }
    let values =
      parameters.count == 1
      ? ["arguments"] : parameters.indices.map { "arguments.\($0)" }
    let body = "\(marks)receiver.\(made.body)(\(values.joined(separator: ", ")))"
    let kept =
      !keepsAnswer
      ? body
      : isThrowing
        ? "\(marks)\(made.slot).keeping(receiver, if: keeps) { \(closureHead(sent: true)) \(body) }"
        // Without closures, whose code the compiler would make, and inline, for each method.
        : "let answer: \(closureResult) = \(body)\n  \(made.slot).keep(answer, of: receiver, if: keeps)\n  return answer"
    // Only as a parameter by itself, a function must be said to escape.
    let type =
      parameters.count == 1
      ? Spelling.asParameter(signature.parameters[0], isCalled: true) : argumentsType
    let carried = function.attributes.carried.filter { $0 != "@discardableResult" }
    let words = carried + ["private"] + modifiers.filter { $0 == "nonisolated" } + ["static"]
    return """
      \(words.joined(separator: " ")) func \(sent)(_ receiver: \(owner), _ arguments: \(type), _ keeps: Bool)\(effects.map { " \($0.trimmedDescription)" } ?? "") -> \(closureResult) {
        \(kept)
      }
      """
  }
}

extension DeclGroupSyntax {
  /// The class whose table lists the body of a method as a `CalledBody`; nil if it is an actor, or the
  /// method belongs to another actor than the main one.
  func bodyOwner(of function: FunctionDeclSyntax) -> String? {
    guard let owner = self.as(ClassDeclSyntax.self) else { return nil }
    let isolation =
      function.modifiers.names.contains("nonisolated")
      ? nil : function.attributes.globalActor ?? attributes.globalActor
    return isolation == nil || isolation == "@MainActor" ? owner.name.text : nil
  }
}
#endif
