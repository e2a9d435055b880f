#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// Reads the declaration of a class or an actor, and finds which of its members are messages.
///
/// Private members, overrides, and members with the attribute `@NotSent` are no messages; but
/// private methods and overrides are, if Swift calls are messages.
struct ClassReader: DeclarationReader {
  let declaration: any ReceiverDeclaration
  private let isActor: Bool
  private let superclass: TypeSyntax?
  let access: ClassAccess

  /// Whether Swift calls of the methods are messages.
  let hooksCalls: Bool
  var diagnostics: [Diagnostic] = []
  var methods: [(method: MessageMethod, node: Syntax)] = []

  /// Whether a message is deprecated: then so is the table, which names it.
  var isDeprecated = false

  /// The types that only the class's own code can name.
  private let privateTypes: Set<String>

  init(_ declaration: any ReceiverDeclaration, hooksCalls: Bool) {
    self.hooksCalls = hooksCalls
    self.declaration = declaration
    isActor = declaration.is(ActorDeclSyntax.self)
    superclass = declaration.superclassWithMessages
    access = ClassAccess(declaration.modifiers)
    privateTypes = declaration.privateTypes
  }

  var name: String { declaration.name.text }
  private var isFinal: Bool { isActor || declaration.modifiers.names.contains("final") }
  private var globalActor: String? {
    declaration.attributes.globalActor.map { String($0.dropFirst()) }
  }

  /// Returns the class; nil, with diagnostics, if its methods cannot be messages.
  mutating func read() -> MessageClass? {
    if let clause = declaration.genericParameterClause {
      report(
        clause, "genericClass",
        "a method table belongs to one class: a generic class has none; \(hooksCalls ? "write @Hookable(.eachType) before its methods" : "declare a subclass of a certain type")"
      )
    }
    for member in declaration.memberBlock.members {
      if let function = member.decl.as(FunctionDeclSyntax.self) {
        read(function)
      } else if let property = member.decl.as(VariableDeclSyntax.self) {
        read(property)
        readUncalled(property)
      } else if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        report(
          conditional, "conditional",
          "a macro does not know which members are compiled: those of #if are no messages",
          severity: .warning)
      } else {
        readUncalled(member.decl)
      }
    }
    diagnoseCollisions()
    guard !diagnostics.contains(where: { $0.diagMessage.severity == .error }) else { return nil }
    let modifiers = declaration.modifiers.names
    let words = [
      isDeprecated ? "@available(*, deprecated, message: \"It names deprecated methods.\")\n" : "",
      globalActor == nil && !modifiers.contains("nonisolated") ? "" : "nonisolated ",
      isFinal ? access.final : access.own,
      superclass == nil ? "" : "override ",
      isFinal && superclass == nil ? "static" : "class",
    ]
    return MessageClass(
      name: name,
      access: (modifiers.contains("nonisolated") ? "nonisolated " : "") + access.final,
      superclass: superclass?.description, tableModifiers: words.joined(),
      methods: methods.map(\.method))
  }

  /// Whether a member belongs to the actor that is declared.
  func isOfActor(_ attributes: AttributeListSyntax, _ modifiers: [String]) -> Bool {
    isActor && isolation(attributes, modifiers) == nil
      && !["nonisolated", "static", "class"].contains { modifiers.contains($0) }
  }

  // MARK: - Methods

  /// The slot that Swift calls of a method read; nil if they run no hooks.
  mutating func slot(of function: FunctionDeclSyntax) -> String? {
    read(function)
    return methods.last?.method.slot
  }

  /// Reads a method, or a function that reads or writes a property, with the calls that are made
  /// for it.
  mutating func read(
    _ function: FunctionDeclSyntax, as use: CalledFunction? = nil, of property: Syntax? = nil
  ) {
    let modifiers = function.modifiers.names
    guard isMessage(function.attributes, modifiers, ofMethod: true) else { return }
    let parameters = MessageTypes(own: name).signature(of: function).parameters
    let effects = function.signature.effectSpecifiers
    let isOfActor = isOfActor(function.attributes, modifiers)
    let isAsync = effects?.asyncSpecifier != nil
    isDeprecated = isDeprecated || function.attributes.isDeprecated
    if let reason = reason(function, parameters, isAsync: isAsync || isOfActor) {
      return leaveOut(function, function.name, reason, function.attributes)
    }
    let labels = function.labels
    let types = parameters.map { Spelling.asValue($0, isCalled: hooksCalls) }
    let spelled = parameters.map { Spelling.asParameter($0, isCalled: hooksCalls) }
    let isOfClass = modifiers.contains("static") || modifiers.contains("class")
    let selector = SelectorName.of(function)
    let called = use ?? (hooksCalls ? called(function, selector, isOfActor: isOfActor) : nil)
    if called == nil, Spelling.isOpaque(function.signature.returnClause?.type) {
      let reason = "its result is of an opaque type; write `any`"
      return leaveOut(function, function.name, reason, function.attributes)
    }
    let answer = MessageTypes(own: name).signature(of: function).returnClause?.type
    let result = Spelling.isVoid(answer) ? "Void" : answer.map(Spelling.asValue) ?? "Void"
    let isThrowing = effects?.throwsClause.map(Spelling.isThrowing) ?? false
    let kind: MessageMethod.Kind
    let arguments = labels.enumerated().map { index, label in
      (label.map { "\(Spelling.label($0)): " } ?? "") + "argument\(index)"
    }
    let marks = (isThrowing ? "try " : "") + (isAsync ? "await " : "")
    let call =
      called.map { $0.call(arguments.indices.map { "argument\($0)" }) }
      ?? ".\(function.name.text)(\(arguments.joined(separator: ", ")))"
    if isOfActor {
      kind = .ofActor("\(marks)receiver\(call)")
    } else if isOfClass {
      // Subclasses may override the method.
      kind =
        (modifiers.contains("class") || called != nil) && !isFinal
        ? .ofClass(
          receiver: "receiver",
          call: "\(marks)((receiver.swiftClass as? \(name).Type) ?? \(name).self)\(call)")
        : .ofClass(receiver: "_", call: "\(marks)\(name)\(call)")
    } else {
      let names = labels.map { ($0.map(Spelling.label) ?? "_") + ":" }.joined()
      let words = (isAsync ? " async" : "") + (isThrowing ? " throws" : "")
      let isolation = isAsync ? nil : isolation(function.attributes, modifiers)
      let reference =
        called.map { $0.reference(parameters.count) }
        ?? function.name.text + (labels.isEmpty ? "" : "(\(names))")
      let actor = isolation.map { "@\($0) " } ?? ""
      let type =
        "@Sendable (\(name)) -> \(actor)(\(spelled.joined(separator: ", ")))\(words) -> \(result)"
      kind =
        called?.listedBody(selector).map { .body($0, isIsolated: isolation != nil) }
        ?? .reference(reference, type: type, isolation: isolation)
    }
    methods.append(
      (
        MessageMethod(
          kind: kind,
          name: function.attributes.attribute("Named")?.text ?? function.nameWithLabels,
          selector: selector,
          receiver: isOfClass ? "MessageForwarding.ClassObject" : self.name, parameters: types,
          spelled: spelled,
          result: result, isAsync: isAsync || isOfActor, isOverride: modifiers.contains("override"),
          isHidden: function.signature.tokens(viewMode: .sourceAccurate)
            .contains { privateTypes.contains($0.text) },
          slot: called.map { _ in Self.slot(selector, modifiers) },
          access: modifiers.contains { ["private", "fileprivate"].contains($0) }
            ? "fileprivate " : access.member(function.modifiers)),
        property ?? Syntax(function)
      ))
  }

  /// The global actor to which a member is isolated.
  func isolation(_ attributes: AttributeListSyntax, _ modifiers: [String]) -> String? {
    modifiers.contains("nonisolated")
      ? nil : attributes.globalActor.map { String($0.dropFirst()) } ?? globalActor
  }

  /// Why a method cannot be a message; nil if it can.
  private func reason(
    _ function: FunctionDeclSyntax, _ parameters: [FunctionParameterSyntax], isAsync: Bool
  ) -> String? {
    if function.genericParameterClause != nil {
      return "it is generic; let it call a method of certain types"
    }
    if case .binaryOperator = function.name.tokenKind {
      return "it is an operator; let it call a method"
    }
    let modifiers = function.modifiers.names
    if isAsync, !declaration.mayBeSendable {
      return "it is async, and its class not Sendable; write Sendable after the class's name"
    }
    if modifiers.contains("static") || modifiers.contains("class"), !isAsync,
      isolation(function.attributes, modifiers) != nil
    {
      return "it is a class method of a global actor; write nonisolated"
    }
    if !hooksCalls, parameters.contains(where: { $0.ellipsis != nil }) {
      return "its arguments are variadic; take an array"
    }
    let limit = isAsync ? 4 : 8
    if parameters.count > limit {
      return "it has more than \(limit) arguments; take a structure"
    }
    for parameter in parameters {
      let reason =
        hooksCalls
        ? Spelling.reasonAgainst(calledWith: parameter.type, isAsync: isAsync)
        : Spelling.reasonAgainst(argument: parameter.type, isAsync: isAsync)
      if let reason = reason ?? reasonAgainst(parameter, of: function) {
        let name = (parameter.secondName ?? parameter.firstName).text
        return "its argument `\(Spelling.bare(name))` \(reason)"
      }
    }
    return MessageTypes(own: name).signature(of: function).returnClause
      .flatMap { Spelling.reasonAgainst(answer: $0.type) }.map { "its result \($0)" }
  }

  /// Why a method of a global actor cannot have a parameter; nil if it can.
  private func reasonAgainst(
    _ parameter: FunctionParameterSyntax, of function: FunctionDeclSyntax
  ) -> String? {
    guard Spelling.isInout(parameter),
      isolation(function.attributes, function.modifiers.names) != nil
    else { return nil }
    return "is inout, and messages to a global actor take values; return the value"
  }

  // MARK: - All members

  func isMessage(
    _ attributes: AttributeListSyntax, _ modifiers: [String], ofMethod isMethod: Bool
  ) -> Bool {
    attributes.attribute("NotSent") == nil && !attributes.isUnavailable
      && (isMethod && hooksCalls
        || !modifiers.contains { ["private", "fileprivate", "override"].contains($0) })
  }

  // MARK: - Problems

  /// Reports that a member is no message; this is an error if its attributes name the message.
  mutating func leaveOut(
    _ member: some DeclSyntaxProtocol, _ node: some SyntaxProtocol, _ reason: String,
    _ attributes: AttributeListSyntax
  ) {
    let isWanted = ["SentAs", "Named"].contains { attributes.attribute($0) != nil }
    report(
      node, "notSent", "`\(node.trimmedDescription)` is no message: \(reason)",
      isWanted ? nil : Remedy.add(attribute: "@NotSent", to: member),
      severity: isWanted ? .error : .warning)
  }

  private mutating func diagnoseCollisions() {
    var names = MemberNames("methods", "typed selectors")
    for (method, node) in methods {
      names.diagnose(method.name, node, in: &self)
      names.diagnose(
        selector: method.selector, isOfClass: method.receiver != name, method.parameters.count,
        node, in: &self)
    }
  }
}
#endif
