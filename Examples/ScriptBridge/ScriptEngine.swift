internal import BlockRuntime
internal import CDuktape
internal import Synchronization

// SAFETY, for the whole file: the engine is used by one thread at a time, and `send` only by its
// scripts. What may throw or allocate runs in the protected calls of the shim only, as an error
// outside of them ends the process; what is called directly reads the stack, or moves its top.

/// What goes from one side of the bridge to the other.
struct ScriptMessage: Sendable {
  enum Kind: String, Sendable {
    /// The payload is a handler's name and an array of arguments.
    case call
    /// The payload is the result.
    case answer
    /// The payload is a code and a message.
    case failure
  }

  let kind: Kind
  let id: Int
  /// JSON of ASCII characters.
  let payload: String
}

/// A JavaScript engine (Duktape), with the script's side of the bridge in it.
@safe
final class ScriptEngine {
  private let context: OpaquePointer
  private let outbox: Outbox
  /// What scripts call to send a message; it lives until the engine is gone.
  private let send: FunctionPointer

  private typealias Function = @convention(c) (OpaquePointer?) -> Int32

  /// The messages that scripts have sent, in order.
  private final class Outbox: Sendable {
    let messages = Mutex<[ScriptMessage]>([])
  }

  /// - Parameter nextID: Gives each call of a script its id.
  /// - Throws: `scriptFailed` where there is no memory for an engine.
  init(nextID: @escaping @Sendable () -> Int) throws(ScriptBridgeError) {
    let outbox = Outbox()
    let function: Function
    do throws(InvocationError) {
      send = try FunctionPointer(signature: "i^v") { call in
        let context = unsafe try call.argument(0, as: OpaquePointer.self)
        guard let kind = unsafe duk_get_string(context, 0).map({ unsafe String(cString: $0) }),
          let kind = ScriptMessage.Kind(rawValue: kind),
          let payload = unsafe duk_get_string(context, 2)
        else { return }
        let id = kind == .call ? nextID() : Int(exactly: unsafe duk_get_number(context, 1)) ?? 0
        outbox.messages.withLock {
          $0.append(ScriptMessage(kind: kind, id: id, payload: unsafe String(cString: payload)))
        }
        unsafe duk_push_number(context, Double(id))
        try call.setResult(1)
      }
      unsafe function = unsafe try send.value(as: Function.self)
    } catch {
      throw ScriptBridgeError(.scriptFailed, error.message)
    }
    guard let context = unsafe cduk_create() else {
      throw ScriptBridgeError(.scriptFailed, "there is no memory for an engine")
    }
    unsafe self.context = unsafe context
    self.outbox = outbox
    // What receives messages stays at the bottom of the stack.
    let source = ScriptPrelude.source
    let code = unsafe cduk_install(context, source, source.utf8.count, function)
    if code != 0 { try finish(code) }
  }

  deinit { unsafe duk_destroy_heap(context) }

  /// Runs a script.
  ///
  /// - Throws: `scriptFailed` with the script's error.
  func evaluate(_ source: String) throws(ScriptBridgeError) {
    try finish(unsafe cduk_evaluate(context, source, source.utf8.count))
  }

  /// Gives the script a message.
  ///
  /// - Throws: `scriptFailed` with what a handler or callback has thrown.
  func receive(_ message: ScriptMessage) throws(ScriptBridgeError) {
    try finish(
      unsafe cduk_receive(context, message.kind.rawValue, Double(message.id), message.payload))
  }

  /// Takes the value of a script, or its error, from the stack.
  private func finish(_ code: Int32) throws(ScriptBridgeError) {
    defer { unsafe duk_pop(context) }
    if code == 0 { return }
    let message = unsafe cduk_error(context).map { unsafe String(cString: $0) }
    throw ScriptBridgeError(.scriptFailed, message ?? "no reason given")
  }

  /// Takes the messages that scripts have sent since the last time.
  func takeMessages() -> [ScriptMessage] {
    outbox.messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
