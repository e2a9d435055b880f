#if Everything
package import ArgumentParser
import CommandOptionsAndResults

/// `hook-demo tell PID start|stop|report|unfinished`: asks a trace that goes on.
package struct TellCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "tell",
    abstract: "Starts, stops or asks a trace that goes on.",
    discussion: """
      A trace has one switch, for the program and all that it starts. The process may be any of \
      them, or hook-demo itself. The answer is printed here; the trace's lines and files are where \
      they were.

      start and stop need a trace that was begun with --start-idle, and report one with tables \
      (--start-idle, --summary, --count or --tables); unfinished works with every one.

      EXAMPLES
        hook-demo trace --start-idle --html calls.html -- ./server &
        hook-demo tell $(pgrep -ox server) start
        hook-demo tell $(pgrep -ox server) unfinished
        hook-demo tell $(pgrep -ox server) report --json   for scripts
        hook-demo tell $(pgrep -ox server) stop

      REQUESTS
        start: traces, until it is stopped, in the same lines, files and tables
        stop: traces no more
        report: prints the tables of what was traced so far
        unfinished: prints what has not finished, as at the end of a trace; of one that was stopped,
          what had not then

      WHAT STOPS
        When stop has answered, all that was replaced in the programs is what it was. Calls that run \
      then are shown when they end, and blocks that were sent when they have run: stop awaits these \
      for two seconds. A block that was made while the program was traced takes some instructions \
      more for as long as it lives.

      EXIT STATUS
        0, or 1 if there is no such process, it is not traced or the trace is another user's; 64 on \
      wrong usage
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "The number of a process of the trace.")
  var process: Int32

  @Argument(help: "start, stop, report or unfinished.")
  var verb: TellRequest.Verb

  /// Creates the command, without its arguments.
  package init() {}

  package func validate() throws {
    guard process > 0 else { throw ValidationError("a process has a number above 0") }
  }

  package func run() throws {
    let answer = try output.reporting { () throws(Failure) in
      try TellTarget(of: process).ask(TellRequest(verb, isJSON: output.json))
    }
    StandardOutput.write(answer)
  }
}

extension TellRequest.Verb: ExpressibleByArgument {}
#endif
