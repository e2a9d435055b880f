internal import BlockRuntime
internal import Dispatch
internal import Synchronization

// All of this runs on the bridge's queue, but for what says otherwise.

extension ScriptBridge {
  // MARK: From Swift to the script

  /// Begins a call, or fails it.
  func begin(
    _ id: Int, _ name: String, _ arguments: [ScriptValue], _ timeout: Duration?,
    _ completion: Completion?
  ) {
    let payload: String
    do throws(ScriptBridgeError) {
      payload = try ScriptValue.array([.string(name), .array(arguments)]).json()
    } catch {
      completion?(.failure(error))
      return
    }
    calls[id] = (completion, startTimeout(timeout, id))
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

  private func currentEngine() throws(ScriptBridgeError) -> ScriptEngine {
    if let engine { return engine }
    let engine = try ScriptEngine { [counters] in Self.nextID(counters) }
    self.engine = engine
    return engine
  }

  private func deliver(_ message: ScriptMessage) {
    guard let engine else { return }
    do throws(ScriptBridgeError) {
      defer { collect(from: engine) }
      try engine.receive(message)
    } catch {
      // What the script has answered before is over by then.
      queue.async { self.fail(message, error) }
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
    queue.async {
      if !self.close(message) { self.counters.droppedAnswers.add(1, ordering: .relaxed) }
    }
  }

  /// Fails a call of the script's, unless it is over; from any thread.
  func fail(_ id: Int, _ error: ScriptBridgeError) {
    queue.async { self.close(id, error) }
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
  private func collect(from engine: ScriptEngine) {
    for message in engine.takeMessages() {
      if message.kind == .call {
        unanswered[message.id] = (startTimeout(timeout, message.id), ())
      }
      queue.async { self.process(message) }
    }
  }

  private func process(_ message: ScriptMessage) {
    switch message.kind {
    case .call:
      // Otherwise it timed out, or its script is gone.
      if unanswered[message.id] != nil { run(message) }
    case .answer:
      finish(message.id) { () throws(ScriptBridgeError) in try ScriptValue(json: message.payload) }
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
      let failure =
        error as? ScriptBridgeError ?? ScriptBridgeError(.handlerFailed, "\(error)")
      // A handler that fails after its answer has nobody to tell.
      do { try answer.fail(failure) } catch { onError(failure) }
    }
  }

  /// Tells a caller in Swift the answer.
  private func finish(_ id: Int, _ result: () throws(ScriptBridgeError) -> ScriptValue) {
    guard let call = calls.removeValue(forKey: id) else {
      counters.droppedAnswers.add(1, ordering: .relaxed)
      return
    }
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
        self?.end(id, ScriptBridgeError(.timedOut, "no answer came within \(timeout)"))
      }
    }
  }

  /// Ends a call of Swift's whose task was cancelled; from any thread.
  func cancel(_ id: Int) {
    queue.async { self.end(id, ScriptBridgeError(.cancelled, "the task was cancelled")) }
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
