internal import Synchronization

/// The answer to one call of a script: given once, at once or later, from any thread; any number of
/// parts may go before it.
///
/// A call whose answer is let go of without one fails as `unanswered`.
public final class ScriptAnswer: Sendable {
  private let id: Int
  private weak let bridge: ScriptBridge?
  private let isGiven = Atomic(false)

  init(to id: Int, of bridge: ScriptBridge) {
    self.id = id
    self.bridge = bridge
  }

  deinit {
    if isGiven.load(ordering: .relaxed) { return }
    bridge?.fail(id, ScriptBridgeError(.unanswered, "the handler gave up the call"))
  }

  /// Answers.
  ///
  /// - Parameter value: The result.
  /// - Throws: `alreadyAnswered`; `closed` if the bridge is gone; `invalidValue`, and then another
  ///   value may be sent.
  public func send(_ value: ScriptValue) throws(ScriptBridgeError) {
    try give(.answer, value.json())
  }

  /// Gives one of several results, which do not end the call; its timeout runs on.
  ///
  /// - Parameter value: The argument of the script's `onPart`.
  /// - Throws: `alreadyAnswered`; `closed` if the bridge is gone; `invalidValue`, and then another
  ///   value may be sent.
  public func sendPart(_ value: ScriptValue) throws(ScriptBridgeError) {
    let payload = try value.json()
    guard !isGiven.load(ordering: .relaxed) else { throw alreadyGiven }
    try post(.part, payload)
  }

  /// Answers that there is no result.
  ///
  /// - Parameter error: What the script gets.
  /// - Throws: `alreadyAnswered`; `closed` if the bridge is gone.
  public func fail(_ error: ScriptBridgeError) throws(ScriptBridgeError) {
    try give(.failure, error.json)
  }

  private func give(
    _ kind: ScriptMessage.Kind, _ payload: String
  ) throws(ScriptBridgeError) {
    guard !isGiven.exchange(true, ordering: .relaxed) else { throw alreadyGiven }
    try post(kind, payload)
  }

  private var alreadyGiven: ScriptBridgeError {
    ScriptBridgeError(.alreadyAnswered, "call \(id) has its answer already")
  }

  private func post(
    _ kind: ScriptMessage.Kind, _ payload: String
  ) throws(ScriptBridgeError) {
    guard let bridge else { throw ScriptBridgeError(.closed, "the bridge is gone") }
    bridge.answer(ScriptMessage(kind: kind, id: id, payload: payload))
  }
}

extension ScriptBridgeError {
  /// The payload of a failure.
  var json: String {
    "[\(ScriptValue.quoted(code.rawValue)),\(ScriptValue.quoted(message))]"
  }

  /// Reads the payload of a failure.
  init(payload: String) {
    guard case .array(let parts)? = try? ScriptValue(json: payload), parts.count == 2,
      case (.string(let code), .string(let message)) = (parts[0], parts[1])
    else {
      self.init(.handlerFailed, payload)
      return
    }
    self.init(Code(rawValue: code) ?? .handlerFailed, message)
  }
}
