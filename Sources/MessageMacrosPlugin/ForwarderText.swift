#if Macros
import SwiftSyntax

/// The text of what the macro makes for a protocol.
struct ForwarderText {
  let forwarded: ForwardedProtocol

  /// The types in which the protocol is declared, which its extensions need to name.
  let scope: String

  init(_ forwarded: ForwardedProtocol, in scope: String = "") {
    self.forwarded = forwarded
    self.scope = scope
  }

  private var name: String { forwarded.name }
  private var access: String { forwarded.access }
  private var targets: String { Self.targets(of: name) }
  private var requirements: String { "\(name)Requirements" }

  private static func targets(of name: String) -> String {
    "_\(Spelling.uncapitalised(name))Targets"
  }
  /// The name of the part that serves an inherited protocol.
  private static func part(_ name: String) -> String { "as\(name)" }

  /// The attributes of a declaration, each on its line.
  private func attributes(_ attributes: [String]) -> String {
    attributes.map { $0 + "\n" }.joined()
  }

  private var available: [String] { forwarded.attributes.filter { $0.hasPrefix("@available") } }

  // MARK: - The protocols of those that forward

  // The classes are written by hand: the optimiser of Swift 6.3 does not count conforming types that
  // macros make, and calls the only other class's methods on them.

  /// What macros of inheriting protocols build on: the requirements are sent to a list of targets.
  var forwardedProtocol: String {
    let parents = [name] + forwarded.inherited.map { "\($0)Forwarded" }
    return """
      \(attributes(forwarded.attributes))\(access)protocol \(name)Forwarded: \(parents.joined(separator: ", ")) {
        var \(targets): MessageMacros.ForwardingTargets<\(requirements)> { get }
      }
      """
  }

  /// The protocol of the forwarders.
  var forwardingProtocol: String {
    """
    /// A class that sends the requirements of `\(name)` on to targets: a typed multicast delegate.
    ///
    /// ```swift
    /// final class \(name)s: \(forwarded.globalActor.map { "\($0) " } ?? "")\(name)Forwarding { let targets = Targets() }
    /// ```
    \(attributes(forwarded.attributes))\(access)protocol \(name)Forwarding: \(name)Forwarded, MessageMacros.InitializableForwarder where Requirements == \(requirements) {
      /// The type of the targets and policies.
      typealias Targets = MessageMacros.ForwardingTargets<\(requirements)>
    }
    """
  }

  // MARK: - The requirements

  /// The type that says what the targets are.
  var requirementsType: String {
    """
    /// The requirements of `\(name)`, as its forwarders see them.
    \(attributes(available))\(access)enum \(requirements): MessageMacros.ForwardedRequirements {
    \(members.joined(separator: "\n\n").indented)
    }
    """
  }

  private var members: [String] {
    [
      """
      \(access)struct WeakTarget: MessageMacros.WeakTarget\(sendable(", ")) {
        \(access)weak let target: (any \(name))?
        \(access)init(_ target: (any \(name))?) { self.target = target }
      }
      """,
      names(
        "Closures", forwarded.requirements.map { "\(access)var \($0.name): (\(functionType($0)))?" }
      ),
      names(
        "Policies",
        forwarded.requirements.filter { $0.answer != nil }.map {
          "\(access)var \($0.name) = MessageMacros.AnswerPolicy<\(metatypeFree($0.answer))>.first"
        }),
      parts,
      messageProtocol,
    ]
  }

  private func sendable(_ prefix: String) -> String {
    forwarded.isSendable ? "\(prefix)Sendable" : ""
  }

  /// A struct with a property for each requirement, and for each inherited protocol.
  private func names(_ type: String, _ properties: [String]) -> String {
    let inherited = forwarded.inherited.map {
      "\(access)var \(Self.part($0)) = \($0)Requirements.\(type)()"
    }
    let members = forwarded.inherited.map { parent in
      """
      \(access)subscript<Value>(dynamicMember path: WritableKeyPath<\(parent)Requirements.\(type), Value>) -> Value {
        get { \(Self.part(parent))[keyPath: path] }
        set { \(Self.part(parent))[keyPath: path] = newValue }
      }
      """
    }
    let attribute = inherited.isEmpty ? "" : "@dynamicMemberLookup\n"
    let lines = (inherited + properties + ["\(access)init() {}"] + members).joined(separator: "\n")
    let isSendable = type == "Policies" ? ", Sendable" : sendable(", ")
    return """
      \(attribute)\(access)struct \(type): MessageMacros.RequirementNames\(isSendable) {
      \(lines.indented)
      }
      """
  }

  private var parts: String {
    if forwarded.inherited.isEmpty {
      return "\(access)typealias Parts = MessageMacros.NoParts<\(requirements)>"
    }
    let properties = forwarded.inherited.map {
      "\(access)let \(Self.part($0)) = MessageMacros.ForwardingTargets<\($0)Requirements>()"
    }
    let replacements = forwarded.inherited.map {
      "\(Self.part($0)).replace(by: list.part(target: { $0 }, closures: { $0.\(Self.part($0)) }, policies: { $0.\(Self.part($0)) }))"
    }
    return """
      \(access)struct Parts: MessageMacros.ForwarderParts\(sendable(", ")) {
      \(properties.joined(separator: "\n").indented)
        \(access)init() {}
        \(access)func replace(by list: MessageMacros.TargetList<\(requirements)>) {
      \(replacements.joined(separator: "\n").indented.indented)
        }
      }
      """
  }

  private var messageProtocol: String {
    let methods = forwarded.requirements.filter(\.isMessage).map { requirement in
      let types = requirement.parameters.map { Spelling.metatype(of: $0.type) }
      let taking = types.isEmpty ? "" : ", taking: \(types.joined(separator: ", "))"
      let answer = requirement.answer.map(Spelling.metatype) ?? "Void.self"
      let isRequired = requirement.optionalNumber == nil
      let head =
        requirement.isAsync
        ? "MessageMacros.AsyncMessage.described(\"\(requirement.selector)\", isRequired: \(isRequired)"
        : ".\(isRequired ? "required" : "optional")(\"\(requirement.selector)\""
      return "\(head)\(taking), returning: \(answer)),"
    }
    let inherited = forwarded.inherited.map { "\($0)Requirements._messageProtocol" }
    return """
      \(access)static let _messageProtocol = MessageMacros.describedProtocol(
        "\(name)", inheriting: [\(inherited.joined(separator: ", "))],
        [
      \(methods.joined(separator: "\n").indented.indented)
        ])
      """
  }

  /// The type of a closure that answers a requirement.
  private func functionType(_ requirement: Requirement) -> String {
    let actor = requirement.globalActor ?? forwarded.globalActor
    let attribute = actor.map { "\($0) " } ?? (forwarded.isSendable ? "@Sendable " : "")
    let types = requirement.parameters.map(\.type.trimmedDescription).joined(separator: ", ")
    return
      "\(attribute)(\(types))\(requirement.effects) -> \(requirement.answer?.trimmedDescription ?? "Void")"
  }

  private func metatypeFree(_ type: TypeSyntax?) -> String { type?.trimmedDescription ?? "Void" }
}

// MARK: - Extensions of the protocol

extension ForwarderText {
  /// The requirements of those that forward: each is one expression.
  func sending() -> String? {
    let inherited = forwarded.inherited.map { parent in
      """
      \(access)var \(Self.targets(of: parent)): MessageMacros.ForwardingTargets<\(parent)Requirements> { \(targets).parts.\(Self.part(parent)) }
      """
    }
    let members = inherited + declarations { call($0) }
    guard !members.isEmpty else { return nil }
    return """
      \(attributes(available))extension \(scope)\(name) where Self: \(scope)\(name)Forwarded {
      \(members.joined(separator: "\n\n").indented)
      }
      """
  }

  /// The targets of those that have them as `targets`.
  func targetsOfForwarders() -> String {
    """
    \(attributes(available))extension \(scope)\(name) where Self: \(scope)\(name)Forwarded, Self: MessageMacros.Forwarder, Self.Requirements == \(scope)\(requirements) {
      \(access)var \(targets): MessageMacros.ForwardingTargets<\(scope)\(requirements)> { targets }
    }
    """
  }

  /// The default implementations of optional requirements.
  func defaults() -> String? {
    let members = declarations(where: { $0.optionalNumber != nil }) { leftOut($0) }
    guard !members.isEmpty else { return nil }
    return """
      \(attributes(available))extension \(scope)\(name) {
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
          return (label == parameter.name ? label : "\(label) \(parameter.name)")
            + ": \(parameter.type)"
        }
        let arrow = requirement.answer.map { " -> \($0)" } ?? ""
        declarations.append(
          """
          \(head)func \(requirement.base)(\(parameters.joined(separator: ", ")))\(requirement.effects)\(arrow) {
          \(body(requirement).indented)
          }
          """)
      case .getter:
        var accessors = "get\(requirement.effects) {\n\(body(requirement).indented)\n}"
        let next = forwarded.requirements.dropFirst(index + 1).first
        if let next, next.kind == .setter, next.base == requirement.base {
          accessors += "\nset {\n\(body(next).indented)\n}"
        }
        declarations.append(
          """
          \(head)var \(requirement.base): \(metatypeFree(requirement.answer)) {
          \(accessors.indented)
          }
          """)
      case .setter: continue
      }
    }
    return declarations
  }

  private func optional(_ requirement: Requirement) -> String? {
    requirement.optionalNumber.map {
      "MessageMacros.OptionalRequirement(\($0), of: \(scope)\(requirements).self)"
    }
  }

  private func leftOut(_ requirement: Requirement) -> String {
    "\(optional(requirement) ?? "").leftOut\(requirement.isAsync ? "Async" : "")(by: self, answering: \(requirement.answer == nil ? "()" : requirement.fallback ?? "()"))"
  }

  /// The expression that sends a requirement to the targets.
  private func call(_ requirement: Requirement) -> String {
    let arguments = requirement.parameters.map(\.argument)
    let labelled = zip(requirement.parameters, arguments).map { parameter, argument in
      (parameter.label.map { "\($0): " } ?? "") + argument
    }.joined(separator: ", ")
    let marks = requirement.marks
    var member: (String) -> String
    switch requirement.kind {
    case .method: member = { "\(marks)\($0).\(requirement.base)(\(labelled))" }
    case .getter: member = { "\(marks)\($0).\(requirement.base)" }
    case .setter: member = { "\($0).\(requirement.base) = newValue" }
    }
    // Closures with several effects do not infer the type of their errors.
    let isTyped = requirement.failure.map { $0 != "any Error" } ?? false
    let typed = isTyped ? (requirement.throwing ?? "") + " " : ""
    let object =
      optional(requirement).map { optional in
        let function =
          requirement.isAsync ? "askAsync" : requirement.throwing == nil ? "ask" : "askThrowing"
        let inner = typed.isEmpty ? "" : "() \(typed)in "
        return
          "{ _target \(typed)in \(marks)\(optional).\(function)(_target) { \(inner)\(member("_target")) } }"
      } ?? (typed.isEmpty ? "{ \(member("$0")) }" : "{ _target \(typed)in \(member("_target")) }")
    let body =
      typed.isEmpty ? "{ if let _body = $0" : "{ _closures \(typed)in if let _body = _closures"
    let isThrowing = requirement.throwing != nil
    let function =
      requirement.isAsync
      ? "askAsync"
      : isTyped
        ? "askTyped" : isThrowing ? "askThrowing" : requirement.answer == nil ? "send" : "ask"
    var lines = [
      "\(marks)\(targets).\(function)(", "  \"\(requirement.selector)\",",
    ]
    if requirement.answer != nil {
      lines.append("  policy: { $0.\(requirement.name) },")
    } else if function != "send" {
      lines.append("  policy: { _ in .all },")
    }
    lines.append("  object: \(object),")
    lines.append(
      "  closure: \(body).\(requirement.name) { \(marks)_body(\(arguments.joined(separator: ", "))) } else { nil } }"
    )
    let values = arguments.map { ", \($0)" }.joined()
    let returning =
      "\(values), returning: \(requirement.answer.map(Spelling.metatype) ?? "Void.self")"
    let send =
      requirement.isAsync
      ? "try await MessageMacros.AsyncMessage.send($1, to: $0\(returning))"
      : "try $0.send($1\(returning))"
    lines[lines.count - 1] += ","
    lines.append("  message: { \(requirement.isMessage ? send : "_, _ in nil") }")
    if let value = nobody(requirement) {
      lines[lines.count - 1] += ","
      lines.append("  default: \(value)")
    }
    lines[lines.count - 1] += ")"
    return lines.joined(separator: "\n")
  }

  /// The answer if no target responds.
  private func nobody(_ requirement: Requirement) -> String? {
    if requirement.optionalNumber != nil { return leftOut(requirement) }
    guard requirement.answer != nil else {
      return requirement.throwing == nil && !requirement.isAsync ? nil : "()"
    }
    return requirement.fallback
      ?? "try \(scope)\(requirements).unanswered(\"\(requirement.selector)\")"
  }
}

extension String {
  /// The text with each line two columns further right.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}
#endif
