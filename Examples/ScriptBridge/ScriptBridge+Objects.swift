public import BlockRuntime
internal import Synchronization

/// An object that scripts may send messages, while it lives.
struct ExportedObject: Sendable {
  weak let object: (any MessageReceiver & Sendable)?
}

extension ScriptBridge {
  /// Lets scripts use an object, as `JSContext` does with a `JSExport`: `bridge.object(name)`.
  ///
  /// There, each message of its class's method table is a function that answers at once, by the name
  /// `loadAs` for `load:as:`, and each key of a `KeyValueCoding` class a property. Both run on the
  /// thread that runs the script, the bridge's own or that of a replaced method's caller: an actor's
  /// methods refuse it. A result that scripts have no value for, as for an object, is an error
  /// `invalidValue`.
  ///
  /// - Parameters:
  ///   - object: The object, which is not kept: after its end its messages fail as `gone`.
  ///   - name: The name; an object that has it is replaced.
  public func export(_ object: any MessageReceiver & Sendable, as name: String) {
    exports.withLock { $0[name] = ExportedObject(object: object) }
  }

  /// Answers what a script asks, on the thread that runs it.
  func reply(to payload: String) -> String {
    do {
      return try ScriptValue.array([answer(to: payload)].compactMap(\.self)).json()
    } catch {
      return ScriptBridgeError(error).json
    }
  }

  private func answer(to payload: String) throws -> ScriptValue? {
    guard case .array(let parts) = try ScriptValue(json: payload), parts.count == 4 else {
      throw ScriptBridgeError(.invalidValue, "\(payload) asks nothing")
    }
    switch (parts[0], parts[2], parts[3]) {
    case ("names", _, _): return Self.names(of: try object(parts[1]))
    case ("get", .string(let key), _):
      return try ScriptValue(any: try keys(of: object(parts[1])).value(forKey: key))
    case ("set", .string(let key), let value):
      try keys(of: object(parts[1])).setValue(value.any, forKey: key)
      return nil
    case ("send", .string(let name), .array(let arguments)):
      return try send(Selector(name), arguments, to: object(parts[1]))
    case ("original", _, .array(let arguments)):
      guard case .number(let id) = parts[1], let call = methodCalls[Int(id)] else {
        throw ScriptBridgeError(.gone, "the call of the method is over; keep no `original`")
      }
      return try call.proceed(arguments)
    default: throw ScriptBridgeError(.invalidValue, "\(payload) asks nothing")
    }
  }

  /// An exported object by its name, or the receiver of a replaced method by its call.
  private func object(_ name: ScriptValue) throws(ScriptBridgeError) -> any MessageReceiver {
    let object: (any MessageReceiver)? =
      switch name {
      case .string(let name): exports.withLock { $0[name] }?.object
      case .number(let id): methodCalls[Int(id)]?.receiver
      default: nil
      }
    if let object { return object }
    throw ScriptBridgeError(.gone, "object \(name) is gone, or was never exported")
  }

  private func keys(
    of object: any MessageReceiver
  ) throws(ScriptBridgeError) -> any KeyValueCoding {
    if let object = object as? any KeyValueCoding { return object }
    throw ScriptBridgeError(.invalidArguments, "\(type(of: object)) has no keys")
  }

  /// The keys of an object, and its messages by the names that they have in scripts.
  private static func names(of object: any MessageReceiver) -> ScriptValue {
    let keys = (object as? any KeyValueCoding).map { type(of: $0).keys.names } ?? []
    var known = Set(keys)
    var messages: [ScriptValue] = []
    var next: ClassObject? = type(of: object).classObject
    while let type = next {
      for selector in type.methodNames {
        let words = selector.split(separator: ":")
        let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let name = words.prefix(1).joined() + others.joined()
        if known.insert(name).inserted { messages.append([.string(name), .string(selector)]) }
      }
      next = type.superclass
    }
    return ["keys": .array(keys.map { .string($0) }), "messages": .array(messages)]
  }

  private func send(
    _ selector: Selector, _ arguments: [ScriptValue], to object: any MessageReceiver
  ) throws -> ScriptValue? {
    guard let invocation = try object.makeInvocation(of: selector) else {
      throw ScriptBridgeError(.unknownHandler, "\(type(of: object)) has no \(selector)")
    }
    try ScriptBridgeError.require(arguments, invocation.signature)
    for (index, argument) in arguments.enumerated() {
      func set<Value>(_ value: Value) throws { try invocation.setArgument(index + 2, value) }
      try _openExistential(argument.any, do: set)
    }
    try invocation.send(to: object)
    guard invocation.hasResult, invocation.signature.result.kind != .void else { return nil }
    return try ScriptValue(any: invocation.result(as: Any?.self))
  }
}

extension ScriptBridgeError {
  /// Checks the number of a method's arguments.
  ///
  /// - Throws: `invalidArguments`.
  static func require(
    _ arguments: [ScriptValue], _ signature: MethodSignature
  ) throws(ScriptBridgeError) {
    let count = signature.arguments.count - 2
    if arguments.count == count { return }
    throw ScriptBridgeError(
      .invalidArguments, "\(count) arguments are taken, \(arguments.count) were given")
  }
}
