#if Macros
/// The text of the members that `@Messages` makes for a class.
struct MessagesText {
  private let messages: MessageClass

  init(_ messages: MessageClass) { self.messages = messages }

  /// The method table.
  var table: String {
    // The compiler shows the comment if there is nothing to override.
    """
    \(messages.superclass.map { "// If \($0) is no class with messages, write TypedMessageReceiver after it.\n" } ?? "")\(messages.tableModifiers) var methods: MessageForwarding.MethodTable {
      MessageForwarding.MethodTable(\(messages.name).self\(bodies))\(entries)
    }
    """
  }

  /// The structure of typed selectors.
  var selectors: String {
    let properties = messages.methods.filter { !$0.isOverride && !$0.isHidden }.map { method in
      "  \(method.access)var \(method.name): \(method.typedSelector) { \(value(of: method)) }"
    }
    return """
      /// The typed selectors of \(messages.name)'s methods.
      \(messages.access)struct Messages: MessageForwarding.MessageNames {
      \(properties.map { $0 + "\n" }.joined())  \(messages.access)init() {}
      }
      """
  }

  /// The slots that Swift calls read; nil if there are none.
  var slots: String? {
    let slots = messages.methods.compactMap { method in
      guard let slot = method.slot else { return nil as String? }
      if case .body(let body, _) = method.kind { return "\(slot) = \(body)" }
      return "\(slot) = MessageForwarding.CallSlot()"
    }
    guard !slots.isEmpty else { return nil }
    return """
      nonisolated private enum _Calls {
      \(slots.map { "  static let \($0)" }.joined(separator: "\n"))
      }
      """
  }

  private func value(of method: MessageMethod) -> String {
    // The arguments and the answer pass from one isolation to another.
    if method.kind.isIsolated {
      return "MessageMacros.isolatedSelector(.init(\(Spelling.literal(method.selector))))"
    }
    return ".init(\(Spelling.literal(method.selector)))"
  }

  /// The argument that lists the bodies of the table; empty if there are none.
  private var bodies: String {
    let bodies = messages.methods.compactMap { method in
      guard case .body = method.kind, let slot = method.slot else { return nil as String? }
      return "    unsafe _Calls.\(slot).list(in: &bodies)\n"
    }
    return bodies.isEmpty ? "" : ", bodies: { bodies in\n\(bodies.joined())  }"
  }

  /// The other entries of the table, for each of which more code is made.
  private var entries: String {
    let entries = messages.methods.compactMap(entry).map { "    \($0)\n" }
    return entries.isEmpty ? "" : " {\n\(entries.joined())  }"
  }

  /// The entry of a method in the table.
  private func entry(_ method: MessageMethod) -> String? {
    entryOfMessage(method).map { entry in
      method.slot.map { slot in
        "\(entry).called { _Calls.\(slot).set($0) }"
      } ?? entry
    }
  }

  private func entryOfMessage(_ method: MessageMethod) -> String? {
    let selector = Spelling.literal(method.selector)
    switch method.kind {
    case .reference(let name, let type, let isolation):
      // A closure that returns the reference is Sendable in every language mode.
      if isolation == nil, !method.isAsync {
        return "\(method.typedSelector).method(\(selector)) { $0.\(name) }"
      }
      let isolated = isolation.map { ".isolated(to: \($0).shared)" } ?? ""
      return
        "MessageForwarding.Method(\(selector), { $0.\(name) } as \(type))\(isolated)"
    case .property(let name):
      return
        "MessageForwarding.Method.property(\(selector), \\\(messages.name).\(name))"
    case .getter(let name):
      return
        "MessageForwarding.Method(\(selector)) { (receiver: \(messages.name)) in receiver.\(name) }"
    case .setter, .body: return nil
    case .ofActor(let statement):
      let head = "(receiver: isolated \(messages.name)\(method.argumentList))"
      return "MessageForwarding.Method(\(selector)) { \(head) in \(statement) }"
    case .ofClass(let receiver, let call):
      let head = "(\(receiver): MessageForwarding.ClassObject\(method.argumentList))"
      return "MessageForwarding.Method(\(selector)) { \(head) in \(call) }.ofClass()"
    }
  }
}

extension MessageMethod {
  /// The arguments of a closure after its receiver.
  fileprivate var argumentList: String {
    spelled.enumerated().map { ", argument\($0): \($1)" }.joined()
  }
}
#endif
