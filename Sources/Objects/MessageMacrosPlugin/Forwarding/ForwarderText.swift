#if Macros
import SwiftSyntax

/// The text of the declarations that `@Forwarding` makes for a protocol.
struct ForwarderText {
  let forwarded: ForwardedProtocol

  /// The types in which the protocol is declared, which its extensions need to name.
  let scope: String

  /// Names for what is spelled within the type in which the protocol is declared; nil if it is
  /// declared in none.
  let aliases: NestedNames?

  init(_ forwarded: ForwardedProtocol, in scope: String = "", isNested: Bool) {
    self.forwarded = forwarded
    self.scope = scope
    aliases = isNested ? NestedNames(forwarded) : nil
  }

  var name: String { forwarded.name }
  var access: String { forwarded.access }
  var isolation: String { forwarded.isolation }
  var targets: String { Self.targets(of: name) }
  var requirements: String { "\(name)Requirements" }

  static func targets(of name: String) -> String {
    "_\(Spelling.uncapitalised(name))Targets"
  }

  /// The name of the part that serves an inherited protocol.
  static func part(_ name: String) -> String { "as\(name)" }

  /// The attributes of a declaration, each on its line.
  func attributes(_ attributes: [String]) -> String {
    attributes.map { $0 + "\n" }.joined()
  }

  var available: [String] { forwarded.attributes.filter { $0.hasPrefix("@available") } }

  // MARK: - The protocols of the classes that forward

  // The classes are written by hand: the optimiser of Swift 6.3 overlooks conforming types that
  // macros make, and calls on their instances the methods of the only other class.

  /// The protocol on which macros of inheriting protocols build: the requirements are sent to a
  /// list of targets.
  var forwardedProtocol: String {
    let parents = [name] + forwarded.inherited.map { "\($0)Forwarded" }
    return """
      \(attributes(forwarded.attributes))\(isolation)\(access)protocol \(name)Forwarded: \(parents.joined(separator: ", ")) {
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
    \(attributes(forwarded.attributes))\(isolation)\(access)protocol \(name)Forwarding: \(name)Forwarded, MessageMacros.InitializableForwarder where Requirements == \(requirements) {
      /// The type of the targets and policies.
      typealias Targets = MessageMacros.ForwardingTargets<\(requirements)>
    }
    """
  }

  /// The protocol of proxies, which get the requirements as messages.
  var messagesProtocol: String {
    """
    /// A class that gets the requirements of `\(name)` as messages to itself: a proxy.
    \(attributes(forwarded.attributes))\(isolation)\(access)protocol \(name)Messages: \(name)Forwarded, MessageForwarding.MessageProxy {}
    """
  }

  // MARK: - The requirements

  /// The type that describes the protocol: its targets, closures and policies.
  var requirementsType: String {
    """
    /// The requirements of `\(name)`, as its forwarders see them.
    \(attributes(available))\(isolation)\(access)enum \(requirements): MessageMacros.ForwardedRequirements {
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
          "\(access)var \($0.name) = MessageMacros.AnswerPolicy<\(answer($0))>.first"
        }),
      parts,
      messageProtocol,
      methods,
      "\(access)static let _proxies = MessageMacros.ProxyTargets<\(requirements)>()",
    ] + inherited + (aliases?.declarations(access, actor: forwarded.globalActor) ?? [])
  }

  /// The requirements of the inherited protocols.
  private var inherited: [String] {
    if forwarded.inherited.isEmpty { return [] }
    let types = forwarded.inherited.map { "\($0)Requirements.self" }.joined(separator: ", ")
    return [
      "\(access)static var _inherited: [any MessageMacros.ForwardedRequirements.Type] { [\(types)] }"
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
      let isRequired = !requirement.isOptional
      let head =
        requirement.isAsync
        ? "MessageMacros.AsyncMessage.described(\(Spelling.literal(requirement.selector)), isRequired: \(isRequired)"
        : ".\(isRequired ? "required" : "optional")(\(Spelling.literal(requirement.selector))"
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
    let types = requirement.parameters.map { Spelling.optional($0.type).trimmedDescription }
    let effects = requirement.effects(\.trimmedDescription)
    return
      "\(attribute)(\(types.joined(separator: ", ")))\(effects) -> \(answer(requirement))"
  }

  /// The type of an answer, as functions return it.
  private func answer(_ requirement: Requirement) -> String {
    requirement.answer.map { Spelling.optional($0).trimmedDescription } ?? "Void"
  }
}

extension String {
  /// The text with each line two columns further right.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}
#endif
