#if Macros
import SwiftSyntax

/// A function whose Swift calls run hooks: it reads a slot, and its body becomes a separate
/// function.
struct CalledFunction {
  /// The names of the declarations that are made for the function.
  struct Names {
    let body, hooked: String

    /// The function that messages call; nil if the call is written where the messages are listed.
    var sent: String?

    /// The slot that calls read.
    let slot: String

    /// The condition that calls test first, if it is not that of the slot.
    var question: String?

    /// The receiver of the messages.
    let receiver: String

    /// The class whose table may list the body as a `CalledBody`; nil if none may.
    var bodyOwner: String?
  }

  let function: FunctionDeclSyntax

  /// The signature with the types that messages have.
  let signature: FunctionSignatureSyntax
  let made: Names

  /// The name of the value, the object or the type on which a method is called, if it is an
  /// argument of the messages.
  private let passed: String?

  /// Whether that argument is the value in an `InoutArgument`.
  private var isMutating: Bool { passed != nil && modifiers.contains("mutating") }

  init(_ function: FunctionDeclSyntax, _ made: Names, of own: String, passing passed: String? = nil)
  {
    (self.function, self.made, self.passed) = (function, made, passed)
    signature = MessageTypes(own: own).signature(of: function)
  }

  /// Creates a method of a class or an actor with the attribute `@Messages(.calls)`.
  init(
    _ function: FunctionDeclSyntax, of owner: some ReceiverDeclaration, slot: String
  ) {
    let bodyOwner = owner.bodyOwner(of: function)
    let owner = owner.name.text
    let isOfClass = ["static", "class"].contains { function.modifiers.names.contains($0) }
    let name = "\(Spelling.bare(owner))_\(slot)"
    self.init(
      function,
      Names(
        body: "_body_\(name)", hooked: "_hooked_\(name)", sent: "_sent_\(name)",
        slot: "_Calls.\(slot)", receiver: isOfClass ? "Self.classObject" : "self",
        bodyOwner: bodyOwner), of: owner)
  }

  var parameters: [FunctionParameterSyntax] {
    Array(function.signature.parameterClause.parameters)
  }
  var effects: FunctionEffectSpecifiersSyntax? { function.signature.effectSpecifiers }
  var modifiers: [String] { function.modifiers.names }
  var isOfClass: Bool { modifiers.contains("static") || modifiers.contains("class") }
  var isAsync: Bool { effects?.asyncSpecifier != nil }
  var isThrowing: Bool { effects?.throwsClause.map(Spelling.isThrowing) ?? false }

  var isRethrowing: Bool {
    effects?.throwsClause?.throwsSpecifier.tokenKind == .keyword(.rethrows)
  }

  /// The type of the messages' answer, if it is written otherwise than the function's.
  var answer: String? {
    guard let type = signature.returnClause?.type, type.trimmedDescription != result else {
      return nil
    }
    return Spelling.optional(type).trimmedDescription
  }

  /// Whether only the compiler knows the type of the answer.
  var isOpaque: Bool { Spelling.isOpaque(function.signature.returnClause?.type) }

  var hasOwnership: Bool {
    !MessageTypes.ownership.isDisjoint(with: modifiers)
      || parameters.contains {
        !MessageTypes.ownership.isDisjoint(with: $0.type.specifiers)
      }
  }

  /// Whether messages call more than the body: an error of a hook may be one that the method cannot
  /// throw, an argument is passed in an object, or the answer has another type.
  var keepsAnswer: Bool {
    answer != nil || effects?.throwsClause.map { $0.type == nil } != true || isRethrowing
      || parameters.contains { Spelling.isInout($0) || LentParameter($0) != nil }
  }

  /// Why calls of the method cannot run hooks; nil if they can.
  var reasonAgainst: String? {
    guard let body = function.body else { return "it has no body" }
    if isRethrowing, parameters.contains(where: { $0.type.has("escaping") }) {
      return "it rethrows, and one of its arguments escapes; write throws"
    }
    if isOpaque, hasOwnership {
      return "it consumes or borrows a value, and its result is of an opaque type; write `any`"
    }
    if effects?.throwsClause?.type != nil, parameters.contains(where: { LentParameter($0) != nil })
    {
      return
        "it takes a function that does not escape, and throws errors of one type; write @escaping"
    }
    if parameters.contains(where: { ($0.secondName ?? $0.firstName).tokenKind == .wildcard }) {
      return "one of its parameters has no name; name it"
    }
    for case .attribute(let attribute) in function.attributes {
      let name = attribute.attributeName.trimmedDescription
      if !Self.known.contains(name), !name.hasSuffix("Actor") {
        return "a macro does not know what @\(name) makes of its body; call a method without it"
      }
    }
    // A type that is declared in the body cannot be in another function too.
    let declaresType = body.tokens(viewMode: .sourceAccurate).contains { token in
      token.parent?.isProtocol((any DeclGroupSyntax).self) == true
    }
    return declaresType ? "it declares a type in its body; declare it outside" : nil
  }

  private static let known: Set<String> = [
    "available", "discardableResult", "inline", "Sendable", "Named", "SentAs", "preconcurrency",
    "MessageMacros.Named", "MessageMacros.SentAs", "MessageMacros.HookedCall", "HookedCall",
    "warn_unqualified_access", "objc", "Hookable", "MessageMacros.Hookable",
    "HookableAs", "MessageMacros.HookableAs",
  ]

  // MARK: - What the class's table lists

  private var sent: String { (keepsAnswer ? made.sent : nil) ?? made.body }

  /// The call of the body by a message.
  func call(_ arguments: [String]) -> String { ".\(sent)(\(arguments.joined(separator: ", ")))" }

  /// The full name of the function that messages call.
  func reference(_ count: Int) -> String {
    sent + (count == 0 ? "" : "(\(String(repeating: "_:", count: count)))")
  }

  /// The call of the body by a message that has the receiver as an argument.
  var callOfBody: String {
    let owner = passed.map { isMutating ? "\($0).value." : "\($0)." } ?? ""
    let body = call(owner + made.body, arguments) { "&\($0).value" }
    return keepsAnswer
      ? "\(marks)\(made.slot).keeping(\(made.receiver)) { \(closureHead(sent: true)) \(body) }"
      : body
  }

  // MARK: - What the class gets

  var names: [String] {
    parameters.map { ($0.secondName ?? $0.firstName).text }.map {
      Spelling.identifier(Spelling.bare($0))
    }
  }

  /// The names of the parameters where those of the source could hide other names.
  var arguments: [String] { parameters.indices.map { "argument\($0)" } }
  var marks: String { (isThrowing ? "try " : "") + (isAsync ? "await " : "") }
  var result: String {
    function.signature.returnClause?.type.trimmedDescription ?? "Void"
  }
  private var effectsText: String { effects.map { " \($0.trimmedDescription)" } ?? "" }

  /// The effects of a closure or a function that does not rethrow.
  private var plainEffects: String {
    isRethrowing ? " \(isAsync ? "async " : "")throws" : effectsText
  }

  /// A call of the body, or of the function that runs the hooks.
  private func call(_ function: String, _ names: [String], _ address: (String) -> String) -> String
  {
    let arguments = zip(names, parameters).map { Spelling.isInout($1) ? address($0) : $0 }
    return "\(marks)\(function)(\(arguments.joined(separator: ", ")))"
  }

  /// The effects and the answer of a closure that calls the body, for messages or for the function.
  func closureHead(sent: Bool) -> String {
    "()\(plainEffects)\(sent ? " -> \(answer ?? closureResult)" : closureArrow) in"
  }
  var closureResult: String {
    function.signature.returnClause.map { Spelling.optional($0.type).trimmedDescription } ?? "Void"
  }
  private var closureArrow: String { isOpaque ? "" : " -> \(closureResult)" }

  /// The statements of the function itself.
  ///
  /// - Parameter location: The directive of the body's place, which debuggers show.
  /// - Returns: The statements, a line each.
  func statements(location: String) -> String {
    // A function with an opaque result returns values of one type: that of the body.
    let hooked =
      (hint == nil ? callOfListedBody(names) : nil)
      ?? (isOpaque
        ? hookedStatements(names) : "return \(call(made.hooked, names) { "&\($0)" })")
    return """
      \(location)if \(made.question ?? "\(made.slot).isHooked") { \(hooked) }
      return \(call(made.body, names) { "&\($0)" })\(location.isEmpty ? "" : "\n#sourceLocation()")
      """
  }

  /// The head of a function of the same signature.
  private func head(_ name: String, _ names: [String], _ words: [String]) -> String {
    let carried = function.attributes.carried.filter { $0 != "@discardableResult" }
    let kept = function.modifiers.filter {
      ["mutating", "nonisolated"].contains($0.name.text)
        || name == made.body && MessageTypes.ownership.contains($0.name.text)
    }
    let words =
      carried + (name == made.hooked ? ["@inline(never)"] : [])
      + ["private"] + kept.map(\.trimmedDescription) + (isOfClass ? ["static"] : words)
    let isSent = name == made.sent
    let types =
      isSent
      ? signature.parameters.map { Spelling.asParameter($0, isCalled: true) }
      : (name == made.body ? parameters : signature.parameters).map(Spelling.body)
    let list = zip(names, types).map { "_ \($0): \($1)" }
    let (effects, result) = isSent ? (plainEffects, answer ?? result) : (effectsText, result)
    return
      "\(words.joined(separator: " ")) func \(name)\(genericClauses.parameters)(\(list.joined(separator: ", ")))\(effects) -> \(result)\(genericClauses.conditions)"
  }

  /// The statements of a call with hooks, by the names of the arguments.
  private func hookedStatements(_ names: [String]) -> String {
    let named = zip(arguments, names).map { (name: $0, value: $1) }
    let ofValue = isMutating ? "object_self" : ""
    let objects =
      zip(named, parameters).filter { Spelling.isInout($0.1) }.map(\.0)
      + (isMutating ? [(name: "self", value: "self")] : [])
    let statements = objects.map { name, value in
      "  let object_\(name) = MessageForwarding.InoutArgument(\(value))\n"
        + "  defer { \(value) = object_\(name).value }\n"
    }
    let lent = zip(named, parameters).compactMap { argument, parameter in
      LentParameter(parameter).map { (name: argument.name, value: argument.value, parameter: $0) }
    }
    let list =
      (passed == nil ? [] : [isMutating ? ofValue : "self"])
      + zip(named, parameters).map { argument, parameter in
        Spelling.isInout(parameter)
          ? "object_\(argument.name)"
          : LentParameter(parameter) == nil ? argument.value : "function_\(argument.name)"
      }
    let values = list.count == 1 ? list[0] : "(\(list.joined(separator: ", ")))"
    let own = zip(named, parameters).map { Spelling.isInout($1) ? $0.name : $0.value }
    let body = call((isMutating ? "\(ofValue).value." : "") + made.body, own) {
      "&object_\($0).value"
    }
    let mayThrow = lent.map { "lent_\($0.name).hasThrown" }.joined(separator: " || ")
    let more =
      (answer.map { ", answering: (\($0)).self" } ?? "")
      + (isRethrowing ? ", mayThrow: { \(mayThrow) }" : "")
    let call =
      "\(marks)\(made.slot).call(\(made.receiver), \(values)\(more)) { \(closureHead(sent: false)) \(body) }"
    let lending = lent.reversed().reduce(call) { call, lent in
      lent.parameter.lending(
        lent.name, lent.value, marks: marks, arrow: closureArrow, to: call)
    }
    return "\n\(statements.joined())\(hint ?? "")  return \(lending)\n"
  }

  /// The functions of the body, of a call with hooks, and of messages.
  ///
  /// - Parameters:
  ///   - location: The directive of the body's place, with an end of line; empty if the place is
  ///     unknown.
  ///   - words: The modifiers of methods of an instance.
  /// - Returns: The declarations.
  func peers(location: String, _ words: [String] = []) -> [String] {
    let body = function.body?.statements.trimmedDescription ?? ""
    let end = location.isEmpty ? "" : "\n#sourceLocation()"
    let kept = (keepsAnswer ? made.sent : nil).map {
      "\(head($0, arguments, words)) {\n  \(callOfBody)\n}"
    }
    let bodyText = "\(head(made.body, names, words)) {\n\(location)\(body)\(end)\n}"
    if let sent = sentFunction, let call = callOfListedBody(arguments) {
      return [bodyText, sent]
        + (hint.map { ["\(head(made.hooked, arguments, words)) {\n\($0)  \(call)\n}"] } ?? [])
    }
    return [
      bodyText,
      isOpaque ? nil : "\(head(made.hooked, arguments, words)) {\(hookedStatements(arguments))}",
      kept,
    ].compactMap(\.self)
  }
}
#endif
