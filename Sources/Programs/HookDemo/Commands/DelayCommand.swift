#if Everything
import ArgumentParser
import BlockRuntime
import CommandOptionsAndResults
import Dispatch

/// `hook-demo delay`: blocks that run later, unless they are cancelled.
struct DelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delay",
    abstract: "Schedules blocks, cancels some, and measures how late the others run.",
    discussion: """
      The blocks are spread over a time. Every third is cancelled at a third of its own time; block \
      2 is moved to the end; block 4 is run by runNow at half of its time; a ticker repeats until \
      its owner dies. Each event is a line; on a terminal a last line counts down. A block that was \
      cancelled and ran, or was not and did not run, is marked, and the exit status is 1.

      EXAMPLES
        hook-demo delay
        hook-demo delay --count 1000 --spread 500
        hook-demo delay | cat             without the countdown
        hook-demo delay --json
          {"events":[{"block","event","at_ms","due_ms","lateness_us"}],
           "summary":{"blocks","ran","cancelled","moved","ticks",
           "lateness_us":{"min","median","p99","max"},"faults":[…]},"ok":true}

      The events are scheduled, ran, cancelled, moved, ticked and ended; block 0 is the ticker. The \
      lateness of a block that runNow ran is negative, and is not summed up.
      """)

  @Option(help: ArgumentHelp("How many blocks, 1 to 10000.", valueName: "n"))
  var count = 8

  @Option(
    help: ArgumentHelp("Over how many milliseconds, 1 to 60000.", valueName: "milliseconds"))
  var spread = 2000

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...10_000).contains(count) else {
      throw ValidationError("--count is \(count); pass a number of blocks from 1 to 10000")
    }
    guard (1...60_000).contains(spread) else {
      throw ValidationError("--spread is \(spread); pass milliseconds from 1 to 60000")
    }
  }

  func run() throws {
    let style = TextStyle.forStandardOutput
    let run = try output.reporting { () throws(Failure) in
      try output.json
        ? DelayRun(count: count, spread: .milliseconds(spread)).run() : inLines(style)
    }
    let outcome = DelaySummary(run: run.snapshot)
    output.write(outcome.json, or: outcome.text(style))
    guard outcome.faults.isEmpty else { throw ExitCode.failure }
  }

  /// Prints a line for each event when it happens, and behind them, on a terminal, a line that
  /// counts down.
  private func inLines(_ style: TextStyle) throws(Failure) -> DelayRun {
    StandardOutput.write(style.title("BlockRuntime: delayed blocks"))
    // The timer's thread must not wait for the reader of the output.
    let queue = DispatchQueue(label: "hook-demo.delay.lines")
    let countdown = style.canRewriteLine ? "\r\u{1B}[K" : ""
    let run = DelayRun(count: count, spread: .milliseconds(spread)) { event in
      queue.async { StandardOutput.write(countdown + event.text(style)) }
    }
    defer { queue.sync { StandardOutput.write(countdown) } }
    guard style.canRewriteLine else { return try run.run() }
    let counting = try Failure.catching {
      try DelayTimer.shared.repeat(every: .milliseconds(40), on: .queue(queue)) { _ in
        StandardOutput.write(countdown + style.faint(run.countdown))
      }
    }
    defer { counting.cancelAndWait() }
    return try run.run()
  }
}
#endif
