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
  private var marks: String { (isThrowing ? "try " : "") + (isAsync ? "await " : "") }
  private var result: String {
    function.signature.returnClause?.type.trimmedDescription ?? "Void"
  }
  private var effectsText: String { effects.map { " \($0.trimmedDescription)" } ?? "" }
  private var slotName: String { "\(owner)._Calls.\(slot)" }

  /// A call of the body, or of what takes the arguments of messages.
  private func call(_ part: String, _ argument: (String, Bool) -> String) -> String {
    let arguments = zip(names, parameters).map { argument($0, Spelling.isInout($1)) }
    return "\(marks)\(name(part))(\(arguments.joined(separator: ", ")))"
  }

  /// The effects and the answer of a closure that does the same.
  private var closureHead: String {
    let type = function.signature.returnClause.map { Spelling.optional($0.type).trimmedDescription }
    return "\(effectsText) -> \(type ?? "Void") in"
  }

  /// The statements of the method itself.
  var statements: [String] {
    let values = zip(names, parameters).filter { Spelling.isInout($0.1) }.map(\.0)
    let objects = values.map { name in
      "let _\(Spelling.bare(name)) = MessageForwarding.InoutArgument(\(name)); "
        + "defer { \(name) = _\(Spelling.bare(name)).value }; "
    }
    let hooked = call("hooked") { $1 ? "_\(Spelling.bare($0))" : $0 }
    let body = call("body") { $1 ? "&\($0)" : $0 }
    return ["if \(slotName).isHooked { \(objects.joined())return \(hooked) }", "return \(body)"]
  }

  /// The head of a method of the same signature.
  private func head(_ part: String, isActor: Bool) -> String {
    let carried = function.attributes.carried.filter { $0 != "@discardableResult" }
    let isolation = function.modifiers.first { $0.name.text == "nonisolated" }
    let words =
      carried + (part == "hooked" ? ["@inline(never)"] : [])
      + ["private"] + (isolation.map { [$0.trimmedDescription] } ?? [])
      + (isOfClass ? ["static"] : isActor ? [] : ["final"])
    let list = zip(names, parameters).map {
      let type = part == "body" ? Spelling.body($1) : Spelling.asParameter($1, isCalled: true)
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
    let closure = "() \(closureHead) \(call("body") { $1 ? "&\($0).value" : $0 })"
    let arguments = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    let kept =
      "\(head("sent", isActor: isActor)) {\n  \(marks)\(slotName).keeping(\(receiver)) { \(closure) }\n}"
    return [
      "\(head("body", isActor: isActor)) {\n\(location)\(body)\(end)\n}",
      "\(head("hooked", isActor: isActor)) {\n  \(marks)\(slotName).call(\(receiver), \(arguments)) { \(closure) }\n}",
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
