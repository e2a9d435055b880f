import Dispatch
import Measuring
import Synchronization

/// Counts the instructions of an operation with callgrind.
///
/// Two runs, made at once, differ in the number of operations only, so the difference of their
/// counts is that of the operations alone.
enum InstructionCount {
  private static let few = 1_000
  private static let many = 11_000

  /// Whether valgrind is there.
  static var isAvailable: Bool { ProcessOutput.running(["valgrind", "--version"]).succeeded }

  /// The instructions of one operation; nil if valgrind cannot run it.
  static func of(_ row: Row) -> Double? {
    guard row.fixedIterations == nil else { return nil }
    let (name, function) = (row.name, row.countedFunction)
    let totals = Mutex<[Int: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let iterations = index == 0 ? few : many
      let total = total(name, function, iterations)
      totals.withLock { $0[iterations] = total }
    }
    let counted = totals.withLock { $0 }
    guard let less = counted[few], let more = counted[many] else { return nil }
    return Double(more - less) / Double(many - few)
  }

  private static func total(_ name: String, _ function: String?, _ iterations: Int) -> Int? {
    let output = ProcessOutput.running(
      [
        // Hashing with random seeds, and addresses by chance, would make each run another one.
        "setarch", "-R", "env", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
      ] + (function.map { ["--toggle-collect=\($0)"] } ?? []) + [
        CommandLine.arguments[0], "--measure", name, "--iterations", "\(iterations)",
      ])
    guard output.succeeded else { return nil }
    return output.lines.compactMap { line in
      line.contains("Collected : ") ? line.split(separator: " ").last.flatMap { Int($0) } : nil
    }.first
  }
}
