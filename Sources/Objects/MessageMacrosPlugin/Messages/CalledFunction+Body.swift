#if Macros
import SwiftSyntax

/// Methods whose bodies are listed as `CalledBody` values, which have the slots too: the code of
/// their slow calls and of the table's entries is made for the types, not for each method.
extension CalledFunction {
  /// Whether the body is listed as a `CalledBody`.
  ///
  /// Then its arguments are plain values, and its answer is as it is written. A deprecated method
  /// may be named only by the table.
  var isListedBody: Bool {
    made.bodyOwner != nil && !isOfClass && !isAsync && answer == nil && !isOpaque && !isRethrowing
      && !hasOwnership && function.attributes.attribute("available") == nil
      && parameters.allSatisfy { parameter in
        parameter.ellipsis == nil && !Spelling.isInout(parameter)
          && LentParameter(parameter) == nil && !parameter.type.has("autoclosure")
      }
  }

  /// The type of the tuple of arguments, or of the only argument.
  private var argumentsType: String {
    let types = signature.parameters.map { Spelling.asValue($0, isCalled: true) }
    return types.count == 1 ? types[0] : "(\(types.joined(separator: ", ")))"
  }

  /// The type of the errors.
  private var failure: String {
    guard isThrowing else { return "Never" }
    return effects?.throwsClause?.type?.trimmedDescription ?? "any Swift.Error"
  }

  /// The `CalledBody` of the method, for messages of a name; nil if the body is listed otherwise.
  func listedBody(_ selector: String) -> String? {
    guard isListedBody, let owner = made.bodyOwner, let sent = made.sent else { return nil }
    let types = [argumentsType, closureResult, failure].joined(separator: ", ")
    let name = Spelling.literal(selector)
    return "MessageForwarding.CalledBody<\(types)>(\(name)) { \(owner).\(sent) }"
  }

  /// The comment that the compiler shows if an argument cannot be passed on; nil if all can be.
  ///
  /// The compiler shows no comment at the body's place.
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

  /// The function that messages call, with the arguments as one tuple; nil if the body is listed
  /// otherwise.
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
    // A function that is a parameter by itself, not in a tuple, must be said to escape.
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
  /// The class whose table lists the body of a method as a `CalledBody`; nil if it is an actor, or
  /// the method belongs to another actor than the main one.
  func bodyOwner(of function: FunctionDeclSyntax) -> String? {
    guard let owner = self.as(ClassDeclSyntax.self) else { return nil }
    let isolation =
      function.modifiers.names.contains("nonisolated")
      ? nil : function.attributes.globalActor ?? attributes.globalActor
    return isolation == nil || isolation == "@MainActor" ? owner.name.text : nil
  }
}
#endif
