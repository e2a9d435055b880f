#if Macros
import SwiftSyntax

/// A method whose Swift calls run hooks: it asks a slot, and its body is a method of its own.
struct CalledFunction {
  private let function: FunctionDeclSyntax
  private let owner: String

  /// The name of the slot.
  let slot: String

  init(_ function: FunctionDeclSyntax, owner: String, slot: String) {
    (self.function, self.owner, self.slot) = (function, owner, slot)
  }

  /// The name of the slot of a message, which no other message of the class has.
  static func slot(_ selector: String, _ modifiers: [String]) -> String {
    let isOfClass = modifiers.contains("static") || modifiers.contains("class")
    return (isOfClass ? "class" : "of") + "_"
      + selector.unicodeScalars.map { scalar in
        switch scalar {
        case "_": "__"
        case ":": "_1"
        default:
          scalar.properties.isXIDContinue ? String(scalar) : "_\(scalar.value)_"
        }
      }.joined()
  }

  private var parameters: [FunctionParameterSyntax] {
    Array(function.signature.parameterClause.parameters)
  }
  private var effects: FunctionEffectSpecifiersSyntax? { function.signature.effectSpecifiers }
  private var modifiers: [String] { function.modifiers.names }
  private var isOfClass: Bool { modifiers.contains("static") || modifiers.contains("class") }
  var isAsync: Bool { effects?.asyncSpecifier != nil }
  private var isThrowing: Bool { effects?.throwsClause.map(Spelling.isThrowing) ?? false }

  /// Whether messages call more than the body: an error of a hook may be one that the method cannot
  /// throw, or an argument is passed in an object.
  private var keepsAnswer: Bool {
    effects?.throwsClause.map { $0.type == nil } != true
      || parameters.contains(where: Spelling.isInout)
  }

  /// Why calls of the method cannot run hooks; nil if they can.
  var reasonAgainst: String? {
    guard let body = function.body else { return "it has no body" }
    if parameters.contains(where: { ($0.secondName ?? $0.firstName).tokenKind == .wildcard }) {
      return "one of its parameters has no name; name it"
    }
    for case .attribute(let attribute) in function.attributes {
      let name = attribute.attributeName.trimmedDescription
      if !Self.known.contains(name), !name.hasSuffix("Actor") {
        return "a macro does not know what @\(name) makes of its body; call a method without it"
      }
    }
    let finder = LocalTypeFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder.hasFound ? "it declares a type in its body; declare it outside" : nil
  }

  private static let known: Set<String> = [
    "available", "discardableResult", "inline", "Sendable", "Named", "SentAs", "preconcurrency",
    "MessageMacros.Named", "MessageMacros.SentAs", "MessageMacros.HookedCall", "HookedCall",
    "warn_unqualified_access", "objc",
  ]

  // MARK: - What the class's table lists

  private func name(_ part: String) -> String { "_\(part)_\(Spelling.bare(owner))_\(slot)" }

  private var sent: String { name(keepsAnswer ? "sent" : "body") }

  /// The call of the body by a message.
  func call(_ arguments: [String]) -> String { ".\(sent)(\(arguments.joined(separator: ", ")))" }

  /// The full name of the body.
  func reference(_ count: Int) -> String {
    sent + (count == 0 ? "" : "(\(String(repeating: "_:", count: count)))")
  }

  // MARK: - What the class gets

  private var names: [String] {
    parameters.map { ($0.secondName ?? $0.firstName).text }.map {
      Spelling.identifier(Spelling.bare($0))
    }
  }

  /// The names of the parameters where the source's could hide other names.
  private var arguments: [String] { parameters.indices.map { "argument\($0)" } }
  private var marks: String { (isThrowing ? "try " : "") + (isAsync ? "await " : "") }
  private var result: String {
    function.signature.returnClause?.type.trimmedDescription ?? "Void"
  }
  private var effectsText: String { effects.map { " \($0.trimmedDescription)" } ?? "" }
  private var slotName: String { "_Calls.\(slot)" }

  /// A call of the body, or of what runs the hooks.
  private func call(_ part: String, _ names: [String], _ address: (String) -> String) -> String {
    let arguments = zip(names, parameters).map { Spelling.isInout($1) ? address($0) : $0 }
    return "\(marks)\(name(part))(\(arguments.joined(separator: ", ")))"
  }

  /// The effects and the answer of a closure that does the same.
  private var closureHead: String {
    let type = function.signature.returnClause.map { Spelling.optional($0.type).trimmedDescription }
    return "()\(effectsText) -> \(type ?? "Void") in"
  }

  /// The statements of the method itself.
  var statements: [String] {
    [
      "if \(slotName).isHooked { return \(call("hooked", names) { "&\($0)" }) }",
      "return \(call("body", names) { "&\($0)" })",
    ]
  }

  /// The head of a method of the same signature.
  private func head(_ part: String, _ names: [String], isActor: Bool) -> String {
    let carried = function.attributes.carried.filter { $0 != "@discardableResult" }
    let isolation = function.modifiers.first { $0.name.text == "nonisolated" }
    let words =
      carried + (part == "hooked" ? ["@inline(never)"] : [])
      + ["private"] + (isolation.map { [$0.trimmedDescription] } ?? [])
      + (isOfClass ? ["static"] : isActor ? [] : ["final"])
    let list = zip(names, parameters).map {
      let type = part == "sent" ? Spelling.asParameter($1, isCalled: true) : Spelling.body($1)
      return "_ \($0): \(type)"
    }
    return
      "\(words.joined(separator: " ")) func \(name(part))(\(list.joined(separator: ", ")))\(effectsText) -> \(result)"
  }

  /// The body as a method, what messages call, and what calls run if there are hooks.
  ///
  /// - Parameters:
  ///   - location: The directive of the body's place, with an end of line; empty if it is unknown.
  ///   - isActor: Whether an actor has the method.
  /// - Returns: The declarations.
  func peers(location: String, isActor: Bool) -> [String] {
    let body = function.body?.statements.trimmedDescription ?? ""
    let end = location.isEmpty ? "" : "\n#sourceLocation()"
    let receiver = isOfClass ? "Self.classObject" : "self"
    let objects = zip(arguments, parameters).filter { Spelling.isInout($0.1) }.map { name, _ in
      "  let object_\(name) = MessageForwarding.InoutArgument(\(name))\n"
        + "  defer { \(name) = object_\(name).value }\n"
    }
    let values = zip(arguments, parameters).map { Spelling.isInout($1) ? "object_\($0)" : $0 }
    let list = values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
    let ofHooks = call("body", arguments) { "&object_\($0).value" }
    let ofMessages = call("body", arguments) { "&\($0).value" }
    let kept = """
      \(head("sent", arguments, isActor: isActor)) {
        \(marks)\(slotName).keeping(\(receiver)) { \(closureHead) \(ofMessages) }
      }
      """
    return [
      "\(head("body", names, isActor: isActor)) {\n\(location)\(body)\(end)\n}",
      """
      \(head("hooked", arguments, isActor: isActor)) {
      \(objects.joined())  return \(marks)\(slotName).call(\(receiver), \(list)) { \(closureHead) \(ofHooks) }
      }
      """,
    ] + (keepsAnswer ? [kept] : [])
  }
}

/// Finds types that a function declares: they cannot be part of another function too.
private final class LocalTypeFinder: SyntaxVisitor {
  var hasFound = false

  private func find() -> SyntaxVisitorContinueKind {
    hasFound = true
    return .skipChildren
  }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { find() }
}
#endif
