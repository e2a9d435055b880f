#if Macros
import SwiftSyntax

/// The methods by which an object that conforms to the protocol receives its requirements as
/// messages.
extension ForwarderText {
  /// The function that lists the methods, for receivers of the protocol and of protocols that
  /// inherit from it.
  var methods: String {
    let own = forwarded.requirements.compactMap(method).map { "\n\($0)," }.joined()
    let inherited = forwarded.inherited.map {
      " + \($0)Requirements._inheritedMethods(of: type) { target($0) }"
    }
    let names = forwarded.requirements.contains { requirement in
      requirement.attributes.contains { $0.hasPrefix("@available") && $0.contains("deprecated") }
    }
    let mark =
      names ? "@available(*, deprecated, message: \"It names deprecated requirements.\")\n" : ""
    return """
      \(mark)\(access)static func _methods<Whole: MessageMacros.ForwardedRequirements>(of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> any \(name)) -> [MessageForwarding.Method] {
        [\(own.indented.indented)
        ]\(inherited.joined())
      }
      """
  }

  /// The method of a requirement; nil unless any thread may send the message, and the answer comes
  /// at once.
  private func method(_ requirement: Requirement) -> String? {
    guard requirement.isMessage, !requirement.isAsync,
      requirement.globalActor ?? forwarded.globalActor == nil
    else { return nil }
    let names = requirement.parameters.indices.map { "argument\($0)" }
    let parameters = zip(names, requirement.parameters).map {
      ", \($0): \(Spelling.asValue($1.type))"
    }
    let call = requirement.use(of: "target(receiver)", names)
    let selector = Spelling.literal(requirement.selector)
    let function =
      optional(requirement).map { "optionalMethod(\(selector), \($0))" } ?? "method(\(selector))"
    let arrow = requirement.answer.map { " -> \(Spelling.optional($0).trimmedDescription)" } ?? ""
    return
      "MessageMacros.ConformingReceiver<Whole>.\(function) { (receiver: Whole.Target\(parameters.joined())) throws\(arrow) in \(call) }"
  }
}
#endif
