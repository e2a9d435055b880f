import BlockRuntime
import Glibc
import Measuring
import ObservedModels

/// What an operation costs in processor time while several threads repeat it at once: no more than
/// on one thread, if they wait for nothing that they share.
enum Contention {
  private static let threadCounts = [1, 2, 8, 64]
  private static let rounds = 9

  /// How often each round runs an operation, on all threads together.
  private static let count = 1 << 20

  /// Runs on one thread, and repeats its operation.
  private typealias Work = @Sendable (_ iterations: Int) -> Void

  private static let operations: [(name: String, prepare: @Sendable () throws -> Work)] = [
    ("plain", { try calls(of: AddBlock()) }),
    (
      "hook",
      {
        let add = try AddBlock()
        try add.block.hook(.instead, onError: handlerFailed) { call in try call.proceed() }
        return calls(of: add)
      }
    ),
    (
      "send",
      {
        try SharedClass.target("add:to:").hook(.instead, onError: handlerFailed) {
          try $0.proceed()
        }
        return { iterations in
          let (receiver, selector) = (SharedClass(), Selector("add:to:"))
          for number in 0..<iterations {
            _ = try? receiver.send(selector, Int32(number & 1023), Sums.second) as Int32
          }
        }
      }
    ),
    (
      "observe",
      {
        { iterations in
          let (model, calls) = (Models.observed(), CallCount())
          let observation = model.observe(\.value) { _, _ in calls.add() }
          for number in 0..<iterations { model.value = number + 1 }
          observation.remove()
        }
      }
    ),
    (
      "delay",
      {
        { iterations in
          for _ in 0..<iterations { DelayTimer.shared.perform(after: .seconds(3600)) {}.cancel() }
        }
      }
    ),
  ]

  /// The rows that `run()` prints.
  static var rows: [String] {
    operations.flatMap { operation in threadCounts.map { row(operation.name, $0) } }
  }

  private static func row(_ name: String, _ threads: Int) -> String {
    "contention.\(name).\(threads)"
  }

  /// Measures and prints, in nanoseconds of all processors an operation.
  static func run() throws {
    for operation in operations {
      let work = try operation.prepare()
      onThreads(2) { work(1000) }
      for threads in threadCounts {
        let times = (0..<rounds).map { _ in
          let start = processorNanoseconds()
          onThreads(threads) { work(count / threads) }
          return Double(processorNanoseconds() - start) / Double(count)
        }
        Study.printRow(row(operation.name, threads), median(times) ?? 0)
      }
    }
  }

  private static func calls(of add: AddBlock) -> Work {
    { iterations in _ = add.sum(calling: iterations) }
  }

  private final class SharedClass: Receiver {}

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on so many threads, and waits for all.
  private static func onThreads(_ count: Int, _ run: @escaping @Sendable () -> Void) {
    let body = Body(run)
    var threads: [pthread_t] = []
    for _ in 0..<count {
      var thread = pthread_t()
      // SAFETY: each thread takes over the reference that it is given.
      let result = unsafe pthread_create(
        &thread, nil,
        { context in
          if let context = unsafe context {
            unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
          }
          return nil
        }, Unmanaged.passRetained(body).toOpaque())
      if result == 0 { threads.append(thread) }
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  /// What all threads of this process have used of the processors.
  static func processorNanoseconds() -> Int {
    var time = timespec()
    // SAFETY: the clock writes to a local variable.
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
