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
    /// The payload is one of several results, before the answer.
    case part
    /// A question of the script's, which Swift answers while the script waits.
    case ask
    /// The payload is the source of a function, which replaces a method.
    case define
    /// Runs a function: the payload is a call's id and an array of arguments.
    case invoke
    /// Forgets a function; there is no payload.
    case forget
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

  @safe
  private final class Outbox: @unchecked Sendable {
    /// The messages that scripts have sent, in order.
    let messages = Mutex<[ScriptMessage]>([])
    /// The coroutine whose code waits for an answer of Swift's; nil if none does.
    var waiting: OpaquePointer?
  }

  /// - Parameters:
  ///   - nextID: Gives each call of a script its id.
  ///   - reply: Answers a question of a script.
  /// - Throws: `scriptFailed` where there is no memory for an engine.
  init(
    nextID: @escaping @Sendable () -> Int, reply: @escaping @Sendable (String) -> String
  ) throws(ScriptBridgeError) {
    let outbox = Outbox()
    let function: Function
    do throws(InvocationError) {
      send = try FunctionPointer(signature: "i^v") { call in
        let context = unsafe try call.argument(0, as: OpaquePointer.self)
        guard let kind = unsafe duk_get_string(context, 0).map({ unsafe String(cString: $0) }),
          let kind = ScriptMessage.Kind(rawValue: kind),
          let payload = unsafe duk_get_string(context, 2)
        else { return }
        if kind == .ask {
          let outer = unsafe outbox.waiting
          unsafe outbox.waiting = unsafe context
          defer { unsafe outbox.waiting = unsafe outer }
          unsafe cduk_push(context, reply(String(cString: payload)))
          return try call.setResult(1)
        }
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
    let source = ScriptPrelude.source
    try unsafe finish(cduk_install(context, source, source.utf8.count, function), context)
  }

  deinit { unsafe duk_destroy_heap(context) }

  /// Runs a script.
  ///
  /// - Throws: `scriptFailed` with the script's error.
  func evaluate(_ source: String) throws(ScriptBridgeError) {
    try unsafe finish(cduk_evaluate(context, source, source.utf8.count), context)
  }

  /// Gives the script a message, also while it waits for an answer of Swift's.
  ///
  /// - Returns: The answer of a function, as JSON; nil for other messages.
  /// - Throws: `scriptFailed` with what a handler or callback has thrown.
  @discardableResult
  func receive(_ message: ScriptMessage) throws(ScriptBridgeError) -> String? {
    // Code runs in the coroutine that waits, and in no other.
    let context = unsafe outbox.waiting ?? context
    let code = unsafe cduk_receive(
      context, message.kind.rawValue, Double(message.id), message.payload,
      message.kind == .define ? 1 : 0)
    return try unsafe finish(code, context)
  }

  /// Takes the value of a script, or its error, from the stack.
  ///
  /// - Returns: The value, if it is a text.
  @discardableResult
  private func finish(
    _ code: Int32, _ context: OpaquePointer
  ) throws(ScriptBridgeError) -> String? {
    defer { unsafe duk_pop(context) }
    if code == 0 { return unsafe duk_get_string(context, -1).map { unsafe String(cString: $0) } }
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
