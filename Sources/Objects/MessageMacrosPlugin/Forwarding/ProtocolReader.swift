#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a protocol's declaration, and reports what a forwarder cannot do.
struct ProtocolReader: DeclarationReader {
  let declaration: ProtocolDeclSyntax
  var diagnostics: [Diagnostic] = []
  private var requirements: [Requirement] = []

  /// The declarations that enclose the protocol.
  private let context: [Syntax]

  init(_ declaration: ProtocolDeclSyntax, in context: [Syntax]) {
    self.declaration = declaration
    self.context = context
  }

  /// Returns the protocol; nil, with diagnostics, if there can be no forwarder.
  mutating func read() -> ForwardedProtocol? {
    let inherited = readInheritance()
    if let clause = declaration.primaryAssociatedTypeClause {
      report(
        clause, "associatedType",
        "a forwarder has targets of many types: a protocol with associated types has none")
    }
    for member in declaration.memberBlock.members { read(member.decl) }
    diagnoseCollisions()
    guard diagnostics.isEmpty else { return nil }
    return ForwardedProtocol(
      name: declaration.name.text, access: access, isolation: isolation,
      attributes: declaration.attributes.carried,
      globalActor: declaration.attributes.globalActor, isSendable: inherited.isSendable,
      inherited: inherited.names, requirements: requirements)
  }

  private var access: String {
    for modifier in declaration.modifiers {
      switch modifier.name.text {
      case "public", "package", "fileprivate": return modifier.name.text + " "
      // At the top of a file, `private` means the same.
      case "private": return "fileprivate "
      default: continue
      }
    }
    let isHidden = context.contains { outer in
      let names = outer.asProtocol((any WithModifiersSyntax).self)?.modifiers.names ?? []
      return names.contains("private") || names.contains("fileprivate")
    }
    return isHidden ? "fileprivate " : ""
  }

  private var isolation: String {
    declaration.modifiers.names.contains("nonisolated") ? "nonisolated " : ""
  }

  // MARK: - Requirements

  private mutating func read(_ member: DeclSyntax) {
    if let function = member.as(FunctionDeclSyntax.self) {
      read(function)
    } else if let property = member.as(VariableDeclSyntax.self) {
      read(property)
    } else if member.is(AssociatedTypeDeclSyntax.self) {
      report(
        member, "associatedType",
        "a forwarder has targets of many types: a protocol with associated types has none")
    } else if member.is(InitializerDeclSyntax.self) {
      report(
        member, "initializer",
        "a forwarder makes no targets: declare initialisers in another protocol")
    } else if member.is(SubscriptDeclSyntax.self) {
      report(member, "subscript", "a subscript cannot be forwarded; declare a method instead")
    } else if member.is(TypeAliasDeclSyntax.self) {
      report(
        member, "typeAlias",
        "a forwarder's closures do not see type aliases of the protocol: declare them outside of it"
      )
    } else if member.is(IfConfigDeclSyntax.self) {
      report(
        member, "conditional",
        "a macro does not know which requirements are compiled: declare them in a protocol of their own, inside of #if"
      )
    }
  }

  private mutating func read(_ function: FunctionDeclSyntax) {
    let count = diagnostics.count
    diagnoseModifiers(function.modifiers)
    if let clause = function.genericParameterClause {
      report(
        clause, "generic",
        "a closure cannot be generic: take an existential type such as `any P` instead")
    }
    if let specifier = function.signature.effectSpecifiers?.throwsClause?.throwsSpecifier,
      specifier.tokenKind == .keyword(.rethrows)
    {
      report(
        specifier, "rethrows",
        "the forwarder does not know whether a target throws: write throws instead of rethrows")
    }
    for parameter in function.signature.parameterClause.parameters {
      if let ellipsis = parameter.ellipsis {
        report(ellipsis, "variadic", "variadic arguments cannot be passed on: take an array")
      }
      diagnoseType(parameter.type)
      diagnoseAutoclosure(parameter.type)
    }
    let result = function.signature.returnClause?.type
    if let result { diagnoseType(result) }
    diagnoseMember(function)
    guard diagnostics.count == count else { return }
    let written = Array(function.signature.parameterClause.parameters)
    let names = ParameterNames(written)
    let parameters = written.enumerated().map { index, parameter in
      Requirement.Parameter(
        label: parameter.firstName.text == "_"
          ? nil : Spelling.label(Spelling.bare(parameter.firstName.text)),
        isNamedByLabel: parameter.secondName == nil && names[index] == names.written[index],
        name: names[index],
        type: parameter.type.trimmed,
        isInout: parameter.type.specifiers.contains("inout"),
        isAutoclosure: parameter.type.has("autoclosure"))
    }
    add(
      function, .method, base: function.name.text, parameters,
      answer: Spelling.isVoid(result) ? nil : result?.trimmed,
      effects: (
        function.signature.effectSpecifiers?.asyncSpecifier,
        function.signature.effectSpecifiers?.throwsClause
      ),
      function.attributes, name: function.nameWithLabels, selector: SelectorName.of(function))
  }

  private mutating func read(_ property: VariableDeclSyntax) {
    let count = diagnostics.count
    diagnoseModifiers(property.modifiers)
    for binding in property.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let type = binding.typeAnnotation?.type,
        case .accessors(let accessors) = binding.accessorBlock?.accessors
      else { continue }
      diagnoseType(type)
      if ["targets", "policies", "onError"].contains(Spelling.bare(name)) {
        diagnoseName(binding.pattern)
      }
      guard diagnostics.count == count else { return }
      let bare = Spelling.bare(name)
      for accessor in accessors {
        let effects = accessor.effectSpecifiers
        if accessor.accessorSpecifier.tokenKind == .keyword(.set) {
          add(
            property, .setter, base: name,
            [
              .init(
                label: nil, isNamedByLabel: false, name: "newValue", type: type.trimmed,
                isInout: false,
                isAutoclosure: false)
            ], answer: nil,
            effects: (nil, nil), property.attributes,
            name: Spelling.identifier("set" + Spelling.capitalised(bare)),
            selector: SelectorName.of(setter: bare))
        } else {
          add(
            property, .getter, base: name, [], answer: type.trimmed,
            effects: (effects?.asyncSpecifier, effects?.throwsClause), property.attributes,
            name: name, selector: bare)
        }
      }
    }
  }

  private mutating func add(
    _ node: some DeclSyntaxProtocol, _ kind: Requirement.Kind, base: String,
    _ parameters: [Requirement.Parameter], answer: TypeSyntax?,
    effects: (async: TokenSyntax?, throwing: ThrowsClauseSyntax?),
    _ attributes: AttributeListSyntax,
    name: String, selector: String
  ) {
    let optional = attributes.attribute("Optional")
    var fallback = answer.flatMap(Spelling.zero)
    if kind != .setter, let value = optional?.firstArgument {
      fallback = value.expression.trimmedDescription
    }
    let error = effects.throwing?.type?.trimmed
    let hasError =
      effects.throwing != nil
      && ["any Error", "Error", "MessageError"].contains(error?.trimmedDescription ?? "any Error")
    if let answer, fallback == nil, optional != nil || !hasError {
      let attribute = "@Optional(default: <#value#>)"
      var fixIt = Remedy.add(attribute: attribute, to: node)
      if let optional {
        var changed: AttributeSyntax = "\(raw: attribute)"
        changed.leadingTrivia = optional.leadingTrivia
        changed.trailingTrivia = optional.trailingTrivia
        fixIt = Remedy.replace("add a default", optional, by: changed)
      }
      report(
        node, "noZero",
        "what `\(Spelling.bare(base))` answers if no target responds is not known: \(answer.trimmed) has no zero; add @Optional(default: …)",
        fixIt)
      return
    }
    let isGetter = kind != .setter
    requirements.append(
      Requirement(
        kind: kind, base: base, parameters: parameters, answer: answer,
        isAsync: effects.async != nil,
        isThrowing: effects.throwing.map(Spelling.isThrowing) ?? false, error: error,
        attributes: attributes.carried, globalActor: attributes.globalActor,
        name: isGetter
          ? attributes.attribute("Named")?.text ?? name
          : attributes.attribute("Named")?.text.map { "set" + Spelling.capitalised($0) } ?? name,
        selector: isGetter
          ? attributes.attribute("SentAs")?.text ?? selector
          : attributes.attribute("SentAs")?.text.map(SelectorName.of(setter:)) ?? selector,
        isOptional: optional != nil,
        fallback: optional != nil || !hasError ? fallback : nil))
    nodes.append(Syntax(node))
  }

  private var nodes: [Syntax] = []

  // MARK: - Problems

  private mutating func diagnoseCollisions() {
    var names = MemberNames("requirements", "closures")
    for (requirement, node) in zip(requirements, nodes) {
      names.diagnose(requirement.name, node, in: &self)
      if requirement.isMessage {
        names.diagnose(
          selector: requirement.selector, requirement.parameters.count, node, in: &self)
      }
    }
  }
}
#endif
