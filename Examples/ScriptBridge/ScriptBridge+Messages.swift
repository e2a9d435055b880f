internal import BlockRuntime
internal import Dispatch
internal import Glibc
internal import Synchronization

// All of this runs on the bridge's queue, but for what says otherwise.

extension ScriptBridge {
  // MARK: The queue

  /// Runs a closure on the queue, later; from any thread.
  func perform(_ body: @escaping @Sendable (ScriptBridge) -> Void) {
    queue.async { self.owning { body(self) } }
  }

  /// Runs a closure on the queue, or at once within what already runs there, and waits; from any
  /// thread.
  func performAndWait<Outcome>(_ body: () throws -> Outcome) rethrows -> Outcome {
    // Only this thread can have set its own name.
    if owner.load(ordering: .relaxed) == pthread_self() { return try body() }
    return try queue.sync { try owning(body) }
  }

  private func owning<Outcome>(_ body: () throws -> Outcome) rethrows -> Outcome {
    owner.store(pthread_self(), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    return try body()
  }

  // MARK: From Swift to the script

  /// Begins a call, or fails it.
  func begin(
    _ id: Int, _ name: String, _ arguments: [ScriptValue], _ timeout: Duration?,
    _ completion: Completion?, _ onPart: PartHandler?
  ) {
    let payload: String
    do throws(ScriptBridgeError) {
      payload = try ScriptValue.array([.string(name), .array(arguments)]).json()
    } catch {
      completion?(.failure(error))
      return
    }
    calls[id] = (completion, onPart, startTimeout(timeout, id))
    let message = ScriptMessage(kind: .call, id: id, payload: payload)
    if isLoaded { deliver(message) } else { outgoing.append(message) }
  }

  /// Runs a script, and what has waited for it.
  func evaluate(_ script: String) -> Result<Void, ScriptBridgeError> {
    do throws(ScriptBridgeError) {
      let engine = try currentEngine()
      defer { collect(from: engine) }
      try engine.evaluate(script)
    } catch {
      return .failure(error)
    }
    isLoaded = true
    let messages = outgoing
    outgoing = []
    for message in messages { deliver(message) }
    return .success(())
  }

  func currentEngine() throws(ScriptBridgeError) -> ScriptEngine {
    if let engine { return engine }
    let engine = try ScriptEngine { [counters] in
      Self.nextID(counters)
    } reply: { [weak self] in
      self?.reply(to: $0) ?? ScriptBridgeError(.closed, "the bridge is gone").json
    }
    self.engine = engine
    return engine
  }

  func deliver(_ message: ScriptMessage) {
    guard let engine else { return }
    do throws(ScriptBridgeError) {
      defer { collect(from: engine) }
      try engine.receive(message)
    } catch {
      // What the script has answered before is over by then.
      perform { $0.fail(message, error) }
    }
  }

  /// Fails a call that the script could not take; other errors have no caller.
  private func fail(_ message: ScriptMessage, _ error: ScriptBridgeError) {
    if message.kind == .call, calls[message.id] != nil {
      end(message.id, error)
    } else {
      onError(error)
    }
  }

  /// Answers a call of the script's; from any thread.
  func answer(_ message: ScriptMessage) {
    perform { bridge in
      if message.kind == .part, bridge.unanswered[message.id] != nil {
        bridge.deliver(message)
      } else if !bridge.close(message) {
        bridge.drop()
      }
    }
  }

  /// Fails a call of the script's, unless it is over; from any thread.
  func fail(_ id: Int, _ error: ScriptBridgeError) {
    perform { $0.close(id, error) }
  }

  /// - Returns: False if the script does not wait for it any more.
  private func close(_ message: ScriptMessage) -> Bool {
    guard let call = unanswered.removeValue(forKey: message.id) else { return false }
    call.timeout?.cancel()
    deliver(message)
    return true
  }

  private func close(_ id: Int, _ error: ScriptBridgeError) {
    _ = close(ScriptMessage(kind: .failure, id: id, payload: error.json))
  }

  // MARK: From the script to Swift

  /// Takes what the script has sent: each message has its own turn, after what waits already.
  func collect(from engine: ScriptEngine) {
    for message in engine.takeMessages() {
      if message.kind == .call {
        unanswered[message.id] = (startTimeout(timeout, message.id), ())
      }
      perform { $0.process(message) }
    }
  }

  private func process(_ message: ScriptMessage) {
    switch message.kind {
    case .call:
      // Otherwise it timed out, or its script is gone.
      if unanswered[message.id] != nil { run(message) }
    case .answer:
      finish(message.id) { () throws(ScriptBridgeError) in try ScriptValue(json: message.payload) }
    case .part: takePart(message)
    case .ask, .define, .invoke, .forget: break  // They are answered where they are sent.
    case .failure:
      finish(message.id) { () throws(ScriptBridgeError) in
        throw ScriptBridgeError(payload: message.payload)
      }
    }
  }

  /// Runs the handler that a script has called.
  private func run(_ message: ScriptMessage) {
    let answer = ScriptAnswer(to: message.id, of: self)
    do {
      guard case .array(let parts) = try ScriptValue(json: message.payload), parts.count == 2,
        case (.string(let name), .array(let arguments)) = (parts[0], parts[1])
      else { throw ScriptBridgeError(.invalidValue, "\(message.payload) is no call") }
      guard let handler = handlers.withLock({ $0[name] }) else {
        throw ScriptBridgeError(.unknownHandler, "Swift handles no \(name)")
      }
      try handler(arguments, answer)
    } catch {
      let failure = ScriptBridgeError(error)
      // A handler that fails after its answer has nobody to tell.
      do { try answer.fail(failure) } catch { onError(failure) }
    }
  }

  /// Tells a caller in Swift a part of the answer.
  private func takePart(_ message: ScriptMessage) {
    guard let call = calls[message.id] else { return drop() }
    do throws(ScriptBridgeError) { call.onPart?(try ScriptValue(json: message.payload)) } catch {
      end(message.id, error)
    }
  }

  private func drop() { counters.droppedAnswers.add(1, ordering: .relaxed) }

  /// Tells a caller in Swift the answer.
  private func finish(_ id: Int, _ result: () throws(ScriptBridgeError) -> ScriptValue) {
    guard let call = calls.removeValue(forKey: id) else { return drop() }
    call.timeout?.cancel()
    call.completion?(Result(catching: result))
  }

  // MARK: Ends

  static func nextID(_ counters: Counters) -> Int {
    counters.lastID.add(1, ordering: .relaxed).newValue
  }

  private func startTimeout(_ timeout: Duration?, _ id: Int) -> DelayedBlock? {
    timeout.map { timeout in
      timer.perform(after: timeout, on: .queue(queue)) { [weak self] in
        guard let self else { return }
        owning { end(id, ScriptBridgeError(.timedOut, "no answer came within \(timeout)")) }
      }
    }
  }

  /// Ends a call of Swift's whose task was cancelled; from any thread.
  func cancel(_ id: Int) {
    perform { $0.end(id, ScriptBridgeError(.cancelled, "the task was cancelled")) }
  }

  /// Fails a call of either side, unless it is over.
  private func end(_ id: Int, _ error: ScriptBridgeError) {
    if calls[id] != nil {
      outgoing.removeAll { $0.id == id }
      finish(id) { () throws(ScriptBridgeError) in throw error }
    } else {
      close(id, error)
    }
  }

  /// Forgets all calls, and their timeouts.
  ///
  /// - Returns: What Swift's calls are completed by, in their order.
  func forgetCalls() -> [Completion] {
    let (calls, unanswered) = (calls, unanswered)
    (self.calls, self.unanswered) = ([:], [:])
    for call in unanswered.values { call.timeout?.cancel() }
    for call in calls.values { call.timeout?.cancel() }
    return calls.sorted { $0.key < $1.key }.compactMap(\.value.completion)
  }

  /// Fails calls.
  static func close(_ completions: [Completion], _ reason: String) {
    for completion in completions {
      completion(.failure(ScriptBridgeError(.closed, reason)))
    }
  }
}
