#if Macros
/// A method, or the getter or setter of a property, as a message.
struct MessageMethod {
  /// The entry of the table.
  enum Kind {
    /// A method by its full name, with the type of a reference to it, and the global actor to which
    /// it is isolated, if that is written.
    case reference(String, type: String, isolation: String?)

    /// The body of a method, by the value that has it and the slot, and whether it is isolated to a
    /// global actor.
    case body(String, isIsolated: Bool)

    /// A property by its key path, which lists the getter and the setter.
    case property(name: String)

    /// A property that is only read.
    case getter(name: String)

    /// The setter of a property, which is listed with the getter.
    case setter

    /// A class method: the name of the class object that got the message, and the function's call,
    /// with a mark for errors.
    case ofClass(receiver: String, call: String)

    /// A method or a property of an actor: the statement that runs on it.
    case ofActor(String)

    var isOfActor: Bool { if case .ofActor = self { true } else { false } }

    /// Whether the method is isolated to a global actor, by what is written.
    var isIsolated: Bool {
      switch self {
      case .reference(_, _, let isolation): isolation != nil
      case .body(_, let isIsolated): isIsolated
      default: false
      }
    }
  }

  let kind: Kind

  /// The name of the typed selector.
  let name: String
  let selector: String

  /// The type of the receiver.
  let receiver: String
  let parameters: [String]

  /// The parameters as a function declares them, with `@escaping` and the like.
  let spelled: [String]
  let result: String
  let isAsync: Bool

  /// Whether the method overrides another one, whose typed selector it has.
  let isOverride: Bool

  /// Whether the method has types that are private to the class, so that no typed selector can name
  /// them.
  let isHidden: Bool

  /// The name of the slot that Swift calls of the method read; nil if they run no hooks.
  let slot: String?

  /// The access of the typed selector.
  let access: String

  /// The type of the typed selector.
  var typedSelector: String {
    let types = [receiver] + parameters + [result]
    let prefix = isAsync ? "Async" : ""
    return
      "MessageForwarding.\(prefix)TypedSelector\(parameters.count)<\(types.joined(separator: ", "))>"
  }
}
#endif
