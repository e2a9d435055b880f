import ArgumentParser
import Measuring

/// What is measured in a process of its own: much memory, many threads, or much time.
enum Study: String, CaseIterable, ExpressibleByArgument {
  case firstIn = "first-in"
  case lastIn = "last-in"
  case random
  case memory
  case lateness
  case contention
  case busy
  case kept

  /// The process that runs the study.
  func process(rounds: Int) -> PeerProcess {
    var process = PeerProcess(
      rows: rows, commands: [[CommandLine.arguments[0], "--study", rawValue]])
    process.rounds = rounds
    return process
  }

  private var rows: [String] {
    switch self {
    case .contention: Contention.rows
    case .busy: BusyMachine.rows
    case .kept: KeptMemory.rows
    case .firstIn, .lastIn, .random:
      ["thousand", "million", "floor", "objects", "dispatch"].map { "delay.\($0).\(rawValue)" }
    case .memory: ["delay.pending.bytes", "delay.left.bytes", "delay.resident.bytes"]
    case .lateness:
      ["", ".inline", ".dispatch"].flatMap { peer in
        ["median", "p99"].map { "delay.lateness\(peer).\($0)" }
      }
    }
  }

  /// Prints the rows.
  func run() throws {
    switch self {
    case .contention: try Contention.run()
    case .busy: try BusyMachine.run()
    case .kept: try KeptMemory.run()
    case .firstIn, .lastIn, .random: DelayScale(order: self).run()
    case .memory: DelayMemory.run()
    case .lateness: DelayLateness.run()
    }
  }

  /// Prints a row.
  static func printRow(_ name: String, _ number: Double) { print("\(name) \(number)") }
}
