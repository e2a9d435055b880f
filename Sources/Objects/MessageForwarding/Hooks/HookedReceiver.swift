internal import Invocations

/// The methods of a class, or of one object, that can be hooked.
protocol HookedMethods: AnyObject, Sendable {
  /// The hooks of every message of the class, and of its instances.
  var everyMessage: EveryMessageHooks { get }

  /// The names of all methods, own and inherited.
  var allSelectors: [Selector] { get }

  /// The hooks of a method; nil if it never was hooked.
  func methodHooks(existing selector: Selector) -> MethodHooks?

  /// The hooks of a method; created if there are none.
  ///
  /// - Throws: `noSuchMethod`.
  func methodHooks(_ selector: Selector) throws(MessageError) -> MethodHooks
}

extension MethodDictionary: HookedMethods {}

/// What has the methods that are hooked: all instances of a class, or one object.
enum HookedReceiver {
  case instances(ClassObject)
  case object(any MessageReceiver)

  /// The methods that can be hooked.
  ///
  /// - Throws: The reason if an object can have no associated values.
  var methods: any HookedMethods {
    get throws(MessageError) {
      switch self {
      case .instances(let receivers): receivers.instanceMethods
      case .object(let object):
        object._messageClass.isClassItself
          ? object._messageClass.methods : try InstanceMethods.of(object)
      }
    }
  }

  /// The hooks of a method; created if it never was hooked.
  ///
  /// - Throws: `noSuchMethod`, and the reason if an object can have no associated values.
  func hooks(of selector: Selector) throws(MessageError) -> MethodHooks {
    // The class may add the method in `resolveMethod(_:)`, as for a message.
    switch self {
    case .instances(let receivers): receivers.resolve(selector)
    case .object(let object): _ = MethodLookup.resolve(object, selector)
    }
    return try methods.methodHooks(selector)
  }

  /// The methods; nil if they never were hooked.
  var existingMethods: (any HookedMethods)? {
    switch self {
    case .instances(let receivers): receivers.instanceMethods
    case .object(let object):
      object._messageClass.isClassItself
        ? object._messageClass.methods : InstanceMethods.existing(of: object)
    }
  }

  /// The name of the class.
  var className: String {
    switch self {
    case .instances(let receivers), .object(let receivers as ClassObject): "\(receivers)"
    case .object(let object): "\(type(of: object))"
    }
  }

  /// The name of a method, behind that of its class; of a function, only its own.
  func name(of selector: Selector) -> String {
    if case .object(is HookedFunctionObject) = self { return "\(selector)" }
    return "\(className).\(selector)"
  }
}
