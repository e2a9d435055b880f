#if Macros
/// The text of what the macro makes for a class.
struct MessagesText {
  private let messages: MessageClass

  init(_ messages: MessageClass) { self.messages = messages }

  /// The method table.
  var table: String {
    """
    \(messages.tableModifiers) var methods: MessageForwarding.MethodTable {
      MessageForwarding.MethodTable(\(messages.name).self) {
    \(messages.methods.compactMap(entry).map { "    \($0)" }.joined(separator: "\n"))
      }
    }
    """
  }

  /// The structure of typed selectors.
  var selectors: String {
    let properties = messages.methods.map { method in
      "  \(method.access)var \(method.name): \(method.typedSelector) { \(value(of: method)) }"
    }
    return """
      /// The typed selectors of \(messages.name)'s methods.
      \(messages.access)struct Messages: MessageForwarding.MessageNames {
      \(properties.map { $0 + "\n" }.joined())  \(messages.access)init() {}
      }
      """
  }

  private func value(of method: MessageMethod) -> String {
    // Its arguments and its answer pass from one isolation to another.
    if case .reference(_, isolation: .some) = method.kind {
      return "MessageMacros.isolatedSelector(.init(\"\(method.selector)\"))"
    }
    return ".init(\"\(method.selector)\")"
  }

  /// The entry of a method in the table.
  private func entry(_ method: MessageMethod) -> String? {
    switch method.kind {
    case .reference(let reference, let isolation):
      let isolated = isolation.map { ".isolated(to: \($0).shared)" } ?? ""
      return "MessageForwarding.Method(\"\(method.selector)\", \(reference))\(isolated)"
    case .property(let name):
      return
        "MessageForwarding.Method.property(\"\(method.selector)\", \\\(messages.name).\(name))"
    case .getter(let name):
      return
        "MessageForwarding.Method(\"\(method.selector)\") { (receiver: \(messages.name)) in receiver.\(name) }"
    case .setter: return nil
    case .ofActor(let statement):
      let head = "(receiver: isolated \(messages.name)\(method.argumentList))"
      return "MessageForwarding.Method(\"\(method.selector)\") { \(head) in \(statement) }"
    case .ofClass(let receiver, let call):
      let head = "(\(receiver): MessageForwarding.ClassObject\(method.argumentList))"
      return "MessageForwarding.Method(\"\(method.selector)\") { \(head) in \(call) }.ofClass()"
    }
  }
}

extension MessageMethod {
  /// The arguments of a closure after its receiver.
  fileprivate var argumentList: String {
    parameters.enumerated().map { ", argument\($0): \($1)" }.joined()
  }
}
#endif
