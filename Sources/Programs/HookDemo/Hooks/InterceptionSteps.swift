import BlockRuntime
internal import BlockRuntimeThreads
import Dispatch
import Synchronization

extension HookDemonstration {
  /// Intercepts calls, stores them, and decides about them later.
  @Sendable
  static func interceptCalls(_ exhibits: Exhibits, _ log: StepLog) throws {
    let waiting = Locked<[InterceptedCall]>([])
    let hook = try exhibits.addBlock.intercept(
      returning: -1, onError: { log.say("reported: \($0)") }
    ) { call in
      if try call.argument(1, as: Int32.self) > 0 { waiting.withLock { $0.append(call) } }
    }
    defer { hook.remove() }
    log.check("add(3, 4.5) gives the placeholder", exhibits.add(3, 4.5), is: -1)
    let dropped = log.hearing { _ = exhibits.add(-1, 0) }
    log.check(
      "a call that is dropped is reported",
      dropped.contains { $0.hasPrefix("reported: interceptionDropped") })
    guard let call = waiting.withLock({ $0.popLast() }) else { return }
    log.say("\(call.state.rawValue): add(\(call.arguments))")
    try call.setArgument(1, Int32(30))
    onAnotherThread {
      do { try call.proceed() } catch { log.check("\(error)", false) }
    }
    log.say("\(call.state.rawValue): add(\(call.arguments)) = \(call.resultText ?? "nothing")")
    log.check("the original ran later", try call.result(as: Int32.self), is: 34)
    do {
      try call.proceed()
      log.check("a second decision is refused", false)
    } catch {
      log.check("a second decision", error.code.rawValue, is: "interceptionDecided")
    }
    try interceptText(exhibits, log)
  }

  /// Stores a call whose text argument is freed before the call is decided.
  private static func interceptText(_ exhibits: Exhibits, _ log: StepLog) throws {
    let waiting = Locked<InterceptedCall?>(nil)
    let hook = try exhibits.spelling.intercept { call in waiting.withLock { $0 = call } }
    defer { hook.remove() }
    // The text and the block that C passes end with this call.
    log.check(
      "C calls spell(\"Hello\")", Exhibits.callSpelling(exhibits.spelling, "Hello").length, is: 0)
    guard let call = waiting.withLock({ $0.take() }) else { return }
    try call.cancel()
    log.check("its text was copied", try call.argument(1, as: String.self), is: "Hello")
  }

  /// Runs a closure on a thread of libdispatch, and waits for its end.
  private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      body()
      done.signal()
    }
    done.wait()
  }

  /// Installs and removes hooks while eight threads call the block.
  @Sendable
  static func removeUnderLoad(_ exhibits: Exhibits, _ log: StepLog) throws {
    let rounds = 2000
    let block = exhibits.addBlock
    let add = exhibits.add
    let counts = LoadCounts()
    DispatchQueue.concurrentPerform(iterations: 9) { thread in
      guard thread == 0 else {
        var calls = 0
        while !counts.isOver.load(ordering: .relaxed) {
          if add(3, 4.5) != 7 { counts.wrong.add(1, ordering: .relaxed) }
          calls += 1
        }
        counts.calls.add(calls, ordering: .relaxed)
        return
      }
      defer { counts.isOver.store(true, ordering: .relaxed) }
      for round in 0..<rounds {
        do {
          let isGone = LoadCounts.Flag()
          let hook = try block.hook(name: "load", priority: round % 3) { call in
            if isGone.value.load(ordering: .sequentiallyConsistent) {
              counts.late.add(1, ordering: .relaxed)
            }
            counts.handled.add(1, ordering: .relaxed)
            try call.proceed()
          }
          hook.removeAndWait()
          isGone.value.store(true, ordering: .sequentiallyConsistent)
        } catch {
          log.check("\(error)", false)
        }
      }
    }
    log.say(
      "\(rounds) hooks, \(counts.calls.load(ordering: .relaxed)) calls, "
        + "\(counts.handled.load(ordering: .relaxed)) of them seen by a hook")
    log.check("wrong results", counts.wrong.load(ordering: .relaxed), is: 0)
    log.check(
      "handlers that ran after removeAndWait() returned", counts.late.load(ordering: .relaxed),
      is: 0)
    log.check("hooks that are left", block.hooks(named: "load").count, is: 0)
  }

  /// Counts of events under load, updated from all threads.
  private final class LoadCounts: Sendable {
    final class Flag: Sendable {
      let value = Atomic(false)
    }

    let isOver = Atomic(false)
    let calls = Atomic(0)
    let handled = Atomic(0)
    let wrong = Atomic(0)
    let late = Atomic(0)
  }
}
