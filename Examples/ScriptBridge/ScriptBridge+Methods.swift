public import BlockRuntime

// SAFETY, for the whole file: a call's frame is used on its own thread, while its handler runs.

/// A call of a method that a function of the script's answers.
@safe
struct MethodCall {
  let receiver: (any MessageReceiver)?
  fileprivate let frame: UnsafeMutablePointer<CallFrame>

  /// Runs the original.
  ///
  /// - Parameter arguments: Its arguments; if there are none, the call's own.
  /// - Returns: The result; nil if scripts have no value for it.
  /// - Throws: `invalidArguments`, and what the original threw.
  func proceed(_ arguments: [ScriptValue]) throws -> ScriptValue? {
    if !arguments.isEmpty {
      try ScriptBridgeError.require(arguments, unsafe frame.pointee.signature)
    }
    for (index, argument) in arguments.enumerated() {
      func set<Value>(_ value: Value) throws {
        try unsafe frame.pointee.setArgument(index + 2, value)
      }
      try _openExistential(argument.any, do: set)
    }
    try unsafe frame.pointee.proceed()
    if let error = unsafe frame.pointee.error { throw error }
    return try? ScriptValue(any: unsafe frame.pointee.result(as: Any?.self))
  }
}

/// A function of the script's, until nothing runs it any more.
private final class ScriptFunction: Sendable {
  let id: Int
  weak let bridge: ScriptBridge?

  init(_ id: Int, of bridge: ScriptBridge) {
    self.id = id
    self.bridge = bridge
  }

  deinit {
    let message = ScriptMessage(kind: .forget, id: id, payload: "null")
    bridge?.perform { $0.deliver(message) }
  }
}

extension ScriptBridge {
  /// How deep calls of replaced methods may lie in each other.
  private static let depthLimit = 64

  /// Lets a function of a script answer a method's messages, as JSPatch does.
  ///
  /// ```swift
  /// try await bridge.replaceMethod(
  ///   Weather.target("degrees:"),
  ///   by: "function (original, weather, city) { return original(city) + 1; }")
  /// ```
  ///
  /// The function gets the method, which it may call any number of times while the message waits, the
  /// receiver as an object of ``export(_:as:)``, and the arguments, null where scripts have no value.
  /// `original()` passes the last arguments, at first the message's. Without a result of the function's, that of the
  /// original stays.
  ///
  /// Messages run the function on their own threads and wait for the script, which runs one thing at a
  /// time: a sender must hold no lock that a script's message needs.
  ///
  /// - Parameters:
  ///   - target: The method, of a class or of one object.
  ///   - function: The source of the function, in the script that is loaded.
  /// - Returns: The token that gives the method back. Dropping it does not.
  /// - Throws: `scriptFailed`; `handlerFailed` if the method cannot be hooked. Messages throw what
  ///   the method or the function threw, `invalidArguments` and `invalidValue` for results of other
  ///   types, `closed` when the bridge was reset or is gone.
  @discardableResult
  public func replaceMethod(
    _ target: MethodTarget, by function: String
  ) async throws(ScriptBridgeError) -> Hook {
    let own = ScriptFunction(Self.nextID(counters), of: self)
    // A comment may end the source.
    let message = ScriptMessage(kind: .define, id: own.id, payload: "(\(function)\n)")
    try await withCheckedContinuation { continuation in
      perform { bridge in
        continuation.resume(
          returning: Result { () throws(ScriptBridgeError) in _ = try bridge.run(message) })
      }
    }.get()
    do {
      return try target.hook { [onError] call in
        do {
          guard let bridge = own.bridge else {
            throw ScriptBridgeError(.closed, "the bridge is gone")
          }
          try bridge.answer(&call, by: own.id)
        } catch {
          // The method's own error stays what it is.
          let failure = ScriptBridgeError(error)
          if let own = call.error, ScriptBridgeError(own) == failure { return }
          do { try call.setError(failure) } catch { onError(failure) }
        }
      }
    } catch {
      throw ScriptBridgeError(error)
    }
  }

  /// Lets the script run, and takes what it has sent.
  @discardableResult
  private func run(_ message: ScriptMessage) throws(ScriptBridgeError) -> String? {
    let engine = try currentEngine()
    defer { collect(from: engine) }
    return try engine.receive(message)
  }

  private func answer(_ call: inout CallFrame, by function: Int) throws {
    let receiver = try call.argument(0, as: AnyObject.self) as? any MessageReceiver
    let arguments = call.values.map { (try? ScriptValue(any: $0)) ?? .null }
    let id = Self.nextID(counters)
    let payload = try ScriptValue.array([.number(Double(id)), .array(arguments)]).json()
    let message = ScriptMessage(kind: .invoke, id: function, payload: payload)
    let answer = try unsafe withUnsafeMutablePointer(to: &call) { frame in
      try performAndWait {
        guard engine != nil else { throw ScriptBridgeError(.closed, "the bridge was reset") }
        guard methodCalls.count < Self.depthLimit else {
          throw ScriptBridgeError(
            .scriptFailed, "functions call each other at \(Self.depthLimit) levels, without an end?"
          )
        }
        methodCalls[id] = unsafe MethodCall(receiver: receiver, frame: frame)
        defer { methodCalls[id] = nil }
        return try run(message)
      }
    }
    guard case .array(let parts)? = try answer.map(ScriptValue.init(json:)) else { return }
    if parts.count == 2 { throw ScriptBridgeError(payload: answer ?? "") }
    guard let result = parts.first, call.signature.result.kind != .void else { return }
    func set<Value>(_ value: Value) throws { try call.setResult(value) }
    try _openExistential(result.any, do: set)
  }
}
