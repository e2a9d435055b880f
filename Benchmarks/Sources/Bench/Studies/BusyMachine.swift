import BlockRuntime
import CallTracing
import Glibc
import Measuring
import QueueTracing
import SymbolInterposing

/// What hooking and tracing every block costs in processor time while the machine is busy with other
/// programs: no more than on an idle one, if no thread waits for another one that is not running.
///
/// The programs are stopped while the idle series run, which take turns with the others.
enum BusyMachine {
  private static let programCount = 8
  private static let rounds = 15
  private static let iterations = 1 << 12

  private enum Kind: String, CaseIterable {
    case plain
    case hooked
    case traced
  }

  /// The rows that `run()` prints.
  static var rows: [String] { Kind.allCases.flatMap { [row("idle", $0), row("busy", $0)] } }

  private static func row(_ state: String, _ kind: Kind) -> String {
    "dispatch.\(state).\(kind.rawValue)"
  }

  /// Measures and prints, in nanoseconds of this process for a block and an iteration.
  static func run() throws {
    let programs = try BusyPrograms(count: programCount)
    defer { programs.end() }
    var times: [String: [Double]] = [:]
    let trace = try CollectedTrace()
    for _ in 0..<rounds {
      for kind in Kind.allCases {
        times[row("idle", kind), default: []].append(try measure(kind, trace))
        programs.goOn()
        times[row("busy", kind), default: []].append(try measure(kind, trace))
        programs.stop()
      }
    }
    for row in rows { Study.printRow(row, median(times[row] ?? []) ?? 0) }
  }

  private static func measure(_ kind: Kind, _ trace: CollectedTrace) throws -> Double {
    switch kind {
    case .plain: return time()
    case .hooked:
      let every = try EveryBlock().hook(onError: handlerFailed) { call in try call.proceed() }
      defer { every.remove() }
      DispatchRows.meetSources()
      return time()
    case .traced:
      let queues = try QueueTrace.begin(with: trace.tracer)
      let every = try EveryBlock().install(.tracing(with: trace.tracer))
      trace.expect(2 * iterations)
      DispatchRows.meetSources()
      let time = time()
      every.removeAndWait()
      queues?.remove()
      try trace.collect()
      return time
    }
  }

  private static func time() -> Double {
    let start = Contention.processorNanoseconds()
    _ = DispatchRows.run(iterations)
    return Double(Contention.processorNanoseconds() - start) / Double(iterations)
  }
}

/// Programs that use as much of the processors as they get, and end with this one.
private struct BusyPrograms {
  private let processes: [pid_t]

  /// Starts programs, which stop at once.
  init(count: Int) throws {
    let loop = """
      while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done
      """
    processes = try (0..<count).map { _ in
      var process: pid_t = 0
      // SAFETY: the list ends with nil, and its texts live until the call returns.
      let error = unsafe "sh".withCString { name in
        unsafe "-c".withCString { option in
          unsafe loop.withCString { text in
            var words: [UnsafeMutablePointer<CChar>?] = unsafe [
              UnsafeMutablePointer(mutating: name), UnsafeMutablePointer(mutating: option),
              UnsafeMutablePointer(mutating: text), nil,
            ]
            return unsafe posix_spawnp(&process, "sh", nil, nil, &words, environ)
          }
        }
      }
      guard error == 0 else { throw MissingFixture(description: "sh cannot be started") }
      return process
    }
    stop()
  }

  func stop() { send(SIGSTOP) }

  func goOn() { send(SIGCONT) }

  func end() {
    send(SIGKILL)
    for process in processes { waitpid(process, nil, 0) }
  }

  private func send(_ signal: Int32) { for process in processes { kill(process, signal) } }
}
