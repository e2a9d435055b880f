import BlockRuntime
internal import BlockRuntimeThreads
import Dispatch
import Synchronization

extension HookDemonstration {
  /// Calls that are decided later, and hooks that come and go meanwhile.
  static let interceptionSteps = [
    TourStep(
      "intercept", "A call waits for a decision, made later on another thread",
      code: "try block.install(.intercepting(returning: -1) { call in "
        + "queue.async { try call.proceed() } })"
    ) { exhibits, log in
      let waiting = Locked<[InterceptedCall]>([])
      let hook = try exhibits.addBlock.install(
        .intercepting(returning: -1, onError: { log.say("reported: \($0)") }) { call in
          if try call.argument(1, as: Int32.self) > 0 { waiting.withLock { $0.append(call) } }
        })
      defer { hook.remove() }
      log.check("add(3, 4.5) gives the placeholder", exhibits.add(3, 4.5), is: -1)
      let dropped = log.hearing { _ = exhibits.add(-1, 0) }
      log.check(
        "a call that is dropped is reported",
        dropped.contains { $0.hasPrefix("reported: interceptionDropped") })
      guard let call = waiting.withLock({ $0.popLast() }) else { return }
      log.say("\(call.state.rawValue): add(\(call.arguments))")
      try call.setArgument(1, Int32(30))
      let work = DispatchWorkItem {
        do { try call.proceed() } catch { log.check("\(error)", false) }
      }
      DispatchQueue.global().async(execute: work)
      work.wait()
      log.say("\(call.state.rawValue): add(\(call.arguments)) = \(call.resultText ?? "nothing")")
      log.check("the original ran later", try call.result(as: Int32.self), is: 34)
      log.check("a second decision", isRefusedAs: "interceptionDecided") { try call.proceed() }
      let texts = try exhibits.spelling.install(
        .intercepting { call in waiting.withLock { $0.append(call) } })
      defer { texts.remove() }
      // The text and the block that C passes end with this call.
      log.check(
        "C calls spell(\"Hello\")", Exhibits.callSpelling(exhibits.spelling, "Hello").length, is: 0)
      guard let text = waiting.withLock({ $0.popLast() }) else { return }
      try text.cancel()
      log.check("its text was copied", try text.argument(1, as: String.self), is: "Hello")
    },
    TourStep(
      "removal", "Hooks come and go while eight threads call", code: "hook.removeAndWait()"
    ) { exhibits, log in
      let rounds = 2000
      let counts = LoadCounts()
      DispatchQueue.concurrentPerform(iterations: 9) { thread in
        guard thread == 0 else {
          while !counts.isOver.load(ordering: .relaxed) {
            if exhibits.add(3, 4.5) != 7 { counts.wrong.add(1, ordering: .relaxed) }
            counts.calls.add(1, ordering: .relaxed)
          }
          return
        }
        defer { counts.isOver.store(true, ordering: .relaxed) }
        for round in 1...rounds {
          do {
            let hook = try exhibits.addBlock.hook(name: "load", priority: round % 3) { call in
              if counts.removed.load(ordering: .sequentiallyConsistent) >= round {
                counts.late.add(1, ordering: .relaxed)
              }
              counts.handled.add(1, ordering: .relaxed)
              try call.proceed()
            }
            hook.removeAndWait()
            counts.removed.store(round, ordering: .sequentiallyConsistent)
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
      log.check("hooks that are left", exhibits.addBlock.hooks(named: "load").count, is: 0)
    },
  ]

  /// Counts of events under load, updated from all threads.
  private final class LoadCounts: Sendable {
    let isOver = Atomic(false)
    let calls = Atomic(0)
    let handled = Atomic(0)
    let wrong = Atomic(0)
    let late = Atomic(0)

    /// How many hooks were removed, one after the other.
    let removed = Atomic(0)
  }
}
