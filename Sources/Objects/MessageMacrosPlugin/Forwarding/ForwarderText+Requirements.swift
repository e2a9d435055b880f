#if Macros
import SwiftSyntax

/// The extensions of the protocol: the forwarders' requirements, and the default implementations of
/// optional ones.
extension ForwarderText {
  /// The requirements of the classes that forward: the body of each is one expression.
  func sending() -> String {
    let inherited = forwarded.inherited.map { parent in
      """
      \(access)var \(Self.targets(of: parent)): MessageMacros.ForwardingTargets<\(spelled(requirementsOf: parent))> { \(targets).parts.\(Self.part(parent)) }
      """
    }
    let members = [missingTargets] + inherited + declarations { call($0) }
    return """
      \(attributes(available))\(isolation)extension \(scope)\(name) where Self: \(scope)\(name)Forwarded {
      \(members.joined(separator: "\n\n").indented)
      }
      """
  }

  /// The member that the compiler names if a class has no targets of the protocol, because its
  /// superclass forwards another one.
  private var missingTargets: String {
    """
    @available(*, unavailable, message: "a forwarder of \(name) is a class of its own that conforms to \(name)Forwarding, and forwards what \(name) inherits too: it is no subclass of a forwarder of another protocol, whose targets need not conform to \(name)")
    \(access)var \(targets): MessageMacros.ForwardingTargets<\(scope)\(requirements)> { MessageMacros.ForwardingTargets() }
    """
  }

  /// The targets of forwarders, which have them as `targets`.
  func targetsOfForwarders() -> String {
    """
    \(attributes(available))\(isolation)extension \(scope)\(name) where Self: \(scope)\(name)Forwarded, Self: MessageMacros.Forwarder, Self.Requirements == \(scope)\(requirements) {
      \(access)var \(targets): MessageMacros.ForwardingTargets<\(scope)\(requirements)> { targets }
    }
    """
  }

  /// The targets of proxies, and the protocol that they answer.
  func targetsOfProxies() -> String {
    """
    \(attributes(available))\(isolation)extension \(scope)\(name) where Self: \(scope)\(name)Messages {
      \(access)var \(targets): MessageMacros.ForwardingTargets<\(scope)\(requirements)> { \(scope)\(requirements)._proxies.targets(of: self) }
      \(access)nonisolated static var answeredProtocols: [MessageForwarding.MessageProtocol] { get throws(MessageForwarding.MessageError) { try [\(scope)\(requirements).messageProtocol] } }
    }
    """
  }

  /// The default implementations of optional requirements.
  func defaults() -> String? {
    let members = declarations(where: \.isOptional) { leftOut($0) }
    guard !members.isEmpty else { return nil }
    return """
      \(attributes(available))\(isolation)extension \(scope)\(name) {
      \(members.joined(separator: "\n\n").indented)
      }
      """
  }

  /// Declares requirements; a property's getter and setter are one declaration.
  private func declarations(
    where isIncluded: (Requirement) -> Bool = { _ in true }, _ body: (Requirement) -> String
  ) -> [String] {
    var declarations: [String] = []
    for (index, requirement) in forwarded.requirements.enumerated() where isIncluded(requirement) {
      let head = attributes(requirement.attributes) + access
      switch requirement.kind {
      case .method:
        let parameters = requirement.parameters.map { parameter in
          let label = parameter.label ?? "_"
          return (parameter.isNamedByLabel ? label : "\(label) \(parameter.name)")
            + ": \(spelled(parameter.type))"
        }
        let arrow = requirement.answer.map { " -> \(spelled($0))" } ?? ""
        declarations.append(
          """
          \(head)func \(requirement.base)(\(parameters.joined(separator: ", ")))\(requirement.effects(spelled))\(arrow) {
          \(body(requirement).indented)
          }
          """)
      case .getter:
        var accessors = "get\(requirement.effects(spelled)) {\n\(body(requirement).indented)\n}"
        let next = forwarded.requirements.dropFirst(index + 1).first
        if let next, next.kind == .setter, next.base == requirement.base {
          accessors += "\nset {\n\(body(next).indented)\n}"
        }
        declarations.append(
          """
          \(head)var \(requirement.base): \(requirement.answer.map(spelled) ?? "Void") {
          \(accessors.indented)
          }
          """)
      case .setter: continue
      }
    }
    return declarations
  }

  func optional(_ requirement: Requirement) -> String? {
    guard requirement.isOptional else { return nil }
    return
      "MessageMacros.OptionalRequirement(\(Spelling.literal(requirement.signature)), of: \(scope)\(requirements).self)"
  }

  private func leftOut(_ requirement: Requirement) -> String {
    let value = requirement.answer == nil ? "()" : fallback(of: requirement) ?? "()"
    let function = requirement.isAsync ? "leftOutAsync" : "leftOut"
    return "\(optional(requirement) ?? "").\(function)(by: self, answering: \(value))"
  }

  // MARK: - Names within the type in which the protocol is declared

  /// Spells a type as an extension of the protocol must.
  private func spelled(_ type: TypeSyntax) -> String {
    aliases?.name(of: type, in: scope + requirements) ?? type.trimmedDescription
  }

  private func spelled(requirementsOf parent: String) -> String {
    aliases == nil
      ? "\(parent)Requirements" : "\(scope)\(requirements).\(NestedNames.requirements(of: parent))"
  }

  private func metatype(_ type: TypeSyntax) -> String {
    guard let aliases else { return Spelling.metatype(of: type) }
    return aliases.name(of: Spelling.optional(type), in: scope + requirements) + ".self"
  }

  private func fallback(of requirement: Requirement) -> String? {
    aliases?.fallback(of: requirement, in: scope + requirements) ?? requirement.fallback
  }

  /// The statement that sends a requirement to the targets.
  private func call(_ requirement: Requirement) -> String {
    guard requirement.isAsync, requirement.globalActor ?? forwarded.globalActor == nil else {
      return call(requirement, "Async")
    }
    // A function that is isolated to nothing runs where its caller does, or on no actor: the
    // feature decides.
    return """
      #if hasFeature(NonisolatedNonsendingByDefault)
      return \(call(requirement, "Async"))
      #else
      return \(call(requirement, "Concurrent"))
      #endif
      """
  }

  /// The expression that sends a requirement to the targets.
  ///
  /// - Parameters:
  ///   - requirement: The requirement.
  ///   - kind: The functions to use, if the requirement is `async`.
  /// - Returns: The expression.
  private func call(_ requirement: Requirement, _ kind: String) -> String {
    let arguments = requirement.parameters.map(\.argument)
    let marks = requirement.marks
    let member = { requirement.use(of: $0, arguments) }
    let isTyped = requirement.error.map { $0.trimmedDescription != "any Error" } ?? false
    let typed = isTyped ? requirement.error.map { "throws(\(spelled($0))) " } ?? "" : ""
    let inner = typed.isEmpty ? "" : "() \(typed)in "
    let isThrowing = requirement.isThrowing
    let effect = requirement.isAsync ? kind : isThrowing ? "Throwing" : ""
    let object =
      optional(requirement).map { optional in
        "{ _target \(typed)in \(marks)\(optional).ask\(effect)(_target) { \(inner)\(member("_target")) } }"
      } ?? (typed.isEmpty ? "{ \(member("$0")) }" : "{ _target \(typed)in \(member("_target")) }")
    let run = "\(marks)_body(\(arguments.joined(separator: ", ")))"
    let closure =
      optional(requirement).map { "\(marks)\($0).call\(effect) { \(inner)\(run) }" } ?? run
    let body =
      typed.isEmpty ? "{ if let _body = $0" : "{ _closures \(typed)in if let _body = _closures"
    let function =
      isTyped && !requirement.isAsync
      ? "askTyped" : effect.isEmpty && requirement.answer == nil ? "send" : "ask\(effect)"
    var lines = [
      "\(marks)\(targets).\(function)(", "  \(Spelling.literal(requirement.selector)),",
    ]
    if requirement.answer != nil {
      lines.append("  policy: { $0.\(requirement.name) },")
    } else if function != "send" {
      lines.append("  policy: { _ in .all },")
    }
    lines.append("  object: \(object),")
    lines.append("  closure: \(body).\(requirement.name) { \(closure) } else { nil } },")
    lines.append("  message: \(message(requirement, arguments, kind))")
    if let value = nobody(requirement) {
      lines[lines.count - 1] += ","
      lines.append("  default: \(value)")
    }
    lines[lines.count - 1] += ")"
    return lines.joined(separator: "\n")
  }

  /// The closure that sends a requirement as a message.
  private func message(_ requirement: Requirement, _ arguments: [String], _ kind: String) -> String
  {
    guard requirement.isMessage else { return "{ _, _ in nil }" }
    let values = arguments.map { ", \($0)" }.joined()
    let returning = "\(values), returning: \(requirement.answer.map(metatype) ?? "Void.self")"
    let send =
      requirement.isAsync
      ? "try await MessageMacros.AsyncMessage.send(_selector, to: _receiver\(returning))"
      : "try _receiver.send(_selector\(returning))"
    guard let optional = optional(requirement) else {
      return "{ _receiver, _selector in \(send) }"
    }
    let call =
      requirement.isAsync ? "try await \(optional).call\(kind)" : "try \(optional).callThrowing"
    return "{ _receiver, _selector in \(call) { \(send) } }"
  }

  /// The answer if no target responds.
  private func nobody(_ requirement: Requirement) -> String? {
    if requirement.isOptional { return leftOut(requirement) }
    guard requirement.answer != nil else {
      return !requirement.isThrowing && !requirement.isAsync ? nil : "()"
    }
    return fallback(of: requirement)
      ?? "try \(scope)\(requirements).unanswered(\(Spelling.literal(requirement.selector)))"
  }
}
#endif
