import BlockRuntime
import CommandOptionsAndResults
import Dispatch

/// The ways to show `hook-demo delay` while it runs.
enum DelayDisplay {
  /// Runs a plan silently.
  ///
  /// - Throws: The failure of `DelayRun.start()`.
  static func silent(_ plan: DelayPlan) throws(Failure) -> DelaySummary {
    try finish(DelayRun(plan) { _ in })
  }

  /// Runs a plan, and prints a line for each event when it happens.
  ///
  /// - Throws: The failure of `DelayRun.start()`.
  static func lines(of plan: DelayPlan, _ style: TextStyle) throws(Failure) -> DelaySummary {
    // The timer's thread must not wait for the reader of the output.
    let queue = DispatchQueue(label: "hook-demo.delay.lines")
    defer { queue.sync {} }
    return try finish(
      DelayRun(plan) { event in queue.async { StandardOutput.write(event.text(style)) } })
  }

  /// Runs a plan, and draws it on the terminal repeatedly, from a repeating block.
  ///
  /// - Throws: The failure of `DelayRun.start()`.
  static func live(_ plan: DelayPlan, _ style: TextStyle) throws(Failure) -> DelaySummary {
    let terminal = Terminal()
    TerminalSignals.handle(for: terminal)
    defer { terminal.close() }
    let run = DelayRun(plan) { _ in }
    let draw: @Sendable () -> Void = {
      let picture = DelayPicture(size: Terminal.size, style: style)
      terminal.draw(
        picture.lines(run.snapshot, at: run.time, of: plan.items.last?.due ?? .zero))
    }
    draw()
    let drawing: RepeatingBlock
    do throws(DelayError) {
      drawing = try DelayTimer.shared.repeat(
        every: .milliseconds(40),
        on: .queue(DispatchQueue(label: "hook-demo.delay.picture"))
      ) { _ in draw() }
    } catch {
      throw Failure(code: error.code.rawValue, message: error.message)
    }
    defer {
      drawing.cancelAndWait()
      draw()
    }
    return try finish(run)
  }

  private static func finish(_ run: DelayRun) throws(Failure) -> DelaySummary {
    try run.start()
    run.wait()
    return DelaySummary(run.snapshot)
  }
}
