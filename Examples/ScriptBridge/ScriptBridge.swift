public import BlockRuntime
internal import Dispatch
internal import Synchronization

/// Calls between Swift and a script, by names, in both directions.
///
/// The script runs on a queue of the bridge's own, and so do handlers and completions: all may be
/// called and set from any thread, and none waits for another. Calls that are made before a script is
/// loaded wait for it. A call is answered once, by a result or an error, before which parts of the
/// result may come; give it a timeout where a handler may keep it for ever. Timeouts end waiting, not
/// running: a script that never returns keeps the queue, and with it all timeouts and all callers of
/// methods that scripts replace, as the engine cannot be interrupted.
public final class ScriptBridge: @unchecked Sendable {
  // SAFETY: what is neither constant nor locked is used on the queue only, and by `deinit`.

  /// What a call from a script runs.
  public typealias Handler = @Sendable ([ScriptValue], ScriptAnswer) throws -> Void

  /// Receives the answer of a script.
  public typealias Completion = @Sendable (Result<ScriptValue, ScriptBridgeError>) -> Void

  /// Receives parts of a script's answer.
  typealias PartHandler = @Sendable (ScriptValue) -> Void

  /// Numbers of the whole bridge: they are never set back.
  final class Counters: Sendable {
    let lastID = Atomic(0)
    let droppedAnswers = Atomic(0)
  }

  let queue = DispatchQueue(label: "ScriptBridge")
  let timer: DelayTimer
  let timeout: Duration?
  let onError: @Sendable (any Error) -> Void
  let handlers = Mutex<[String: Handler]>([:])
  let counters = Counters()
  let exports = Mutex<[String: ExportedObject]>([:])
  /// The thread that runs something of the bridge's; 0 if none does.
  let owner = Atomic<UInt>(0)

  var engine: ScriptEngine?
  var isLoaded = false
  /// Messages that wait for a script.
  var outgoing: [ScriptMessage] = []
  /// Calls of Swift's that the script has not answered.
  var calls: [Int: (completion: Completion?, onPart: PartHandler?, timeout: DelayedBlock?)] = [:]
  /// Calls of the script's that no handler has answered.
  var unanswered: [Int: (timeout: DelayedBlock?, Void)] = [:]
  /// Calls of methods that the script's functions answer.
  var methodCalls: [Int: MethodCall] = [:]

  /// Creates a bridge without a script.
  ///
  /// - Parameters:
  ///   - timeout: How long a call may take, in both directions; nil is as long as it likes.
  ///   - timer: What the timeouts go by.
  ///   - onError: Receives what no caller can: errors that scripts' callbacks throw, second answers.
  public init(
    timeout: Duration? = nil, timer: DelayTimer = .shared,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) {
    self.timeout = timeout
    self.timer = timer
    self.onError = onError
  }

  deinit {
    let completions = forgetCalls()
    queue.async { Self.close(completions, "the bridge is gone") }
  }

  /// Answers, of either side, to calls that were over: timed out, or from before a reset.
  public var droppedAnswers: Int { counters.droppedAnswers.load(ordering: .relaxed) }

  // MARK: Handlers

  /// Lets scripts call a closure: `bridge.call(name, [1, 2], function (error, result) { … })`.
  ///
  /// A closure that captures the bridge keeps it until the handler is removed or replaced.
  ///
  /// - Parameters:
  ///   - name: The name; a handler that has it is replaced.
  ///   - handler: Gets the arguments, and answers once. What it throws is the call's error.
  public func handle(_ name: String, _ handler: @escaping Handler) {
    // The old one is freed after the lock.
    _ = handlers.withLock { $0.updateValue(handler, forKey: name) }
  }

  /// Lets scripts call a block, whose signature the arguments are converted by.
  ///
  /// - Parameters:
  ///   - name: The name; a handler that has it is replaced.
  ///   - block: A block of truth values, numbers, C strings, and structures of them. Its result is
  ///     the answer; one without may take a block last, and answer by that, at once or later.
  /// - Throws: `unsupportedHandler`.
  public func handle(_ name: String, with block: Block) throws(ScriptBridgeError) {
    let handler = try TypedHandler(block, onError: onError)
    handle(name) { try handler.run($0, $1) }
  }

  /// Removes a handler: no call of it begins any more.
  ///
  /// - Parameter name: The handler's name.
  /// - Returns: Whether there was one.
  @discardableResult
  public func removeHandler(_ name: String) -> Bool {
    let handler = handlers.withLock { $0.removeValue(forKey: name) }
    return handler != nil
  }

  // MARK: Calls

  /// Calls a handler of the script's.
  ///
  /// - Parameters:
  ///   - name: The handler's name.
  ///   - arguments: Its arguments.
  ///   - timeout: How long it may take; nil is the bridge's own timeout.
  ///   - completion: Gets the answer, on the bridge's queue; without one the answer is ignored.
  public func call(
    _ name: String, _ arguments: [ScriptValue] = [], timeout: Duration? = nil,
    completion: Completion? = nil
  ) {
    start(Self.nextID(counters), name, arguments, timeout, completion)
  }

  private func start(
    _ id: Int, _ name: String, _ arguments: [ScriptValue], _ timeout: Duration?,
    _ completion: Completion?, onPart: PartHandler? = nil
  ) {
    perform { $0.begin(id, name, arguments, timeout ?? $0.timeout, completion, onPart) }
  }

  /// Calls a handler of the script's, and waits for its answer.
  ///
  /// If the task is cancelled, the call ends; a later answer of the script is dropped.
  ///
  /// - Parameters:
  ///   - name: The handler's name.
  ///   - arguments: Its arguments.
  ///   - timeout: How long it may take; nil is the bridge's own timeout.
  /// - Returns: The result.
  /// - Throws: What the handler answered; `unknownHandler`, `invalidValue`, `timedOut`,
  ///   `cancelled`, `closed`.
  public func result(
    of name: String, _ arguments: [ScriptValue] = [], timeout: Duration? = nil
  ) async throws(ScriptBridgeError) -> ScriptValue {
    let id = Self.nextID(counters)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(id, name, arguments, timeout) { continuation.resume(returning: $0) }
        // One that was cancelled earlier had nothing to end yet.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }.get()
  }

  /// Calls a handler of the script's that gives several results, by `answer.part(value)`.
  ///
  /// If the iteration is given up, the call ends; a later answer of the script is dropped.
  ///
  /// - Parameters:
  ///   - name: The handler's name.
  ///   - arguments: Its arguments.
  ///   - timeout: How long all of it may take; nil is the bridge's own timeout.
  /// - Returns: The parts, and last the answer unless it is null. The iteration throws what
  ///   `result(of:_:timeout:)` does.
  public func results(
    of name: String, _ arguments: [ScriptValue] = [], timeout: Duration? = nil
  ) -> AsyncThrowingStream<ScriptValue, any Error> {
    let id = Self.nextID(counters)
    return AsyncThrowingStream { continuation in
      continuation.onTermination = { [weak self] in
        if case .cancelled = $0 { self?.cancel(id) }
      }
      start(id, name, arguments, timeout) { result in
        do throws(ScriptBridgeError) {
          let last = try result.get()
          if last != .null { continuation.yield(last) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      } onPart: {
        continuation.yield($0)
      }
    }
  }

  // MARK: Scripts

  /// Runs a script, and then the calls that have waited for one, in order.
  ///
  /// This cannot be interrupted: a task that is cancelled waits until the script returns.
  ///
  /// - Parameter script: JavaScript; several scripts share their globals.
  /// - Throws: `scriptFailed`; the calls go on waiting.
  public func load(_ script: String) async throws(ScriptBridgeError) {
    try await withCheckedContinuation { continuation in
      perform { continuation.resume(returning: $0.evaluate(script)) }
    }.get()
  }

  /// Gives up the script with all it has; Swift's calls under way fail as `closed`.
  ///
  /// Handlers of Swift's stay; ids are not used again, so that what is answered late is dropped.
  public func reset() {
    perform { bridge in
      bridge.engine = nil
      bridge.isLoaded = false
      bridge.outgoing = []
      Self.close(bridge.forgetCalls(), "the bridge was reset")
    }
  }
}
