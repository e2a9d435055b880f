#if Everything
package import ArgumentParser
import CommandOptionsAndResults

/// `hook-demo compare BEFORE AFTER`: what became slower from one trace to the other.
package struct CompareCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Shows what became slower or faster from one trace to another.",
    discussion: """
      The files are those of trace and interpose with --json. Calls are compared by the names of \
      their functions: how long they ran, and how long blocks waited for their queues. Shown are \
      those whose ranks differ more than chance explains in one of a hundred comparisons of traces, \
      by the test of Mann and Whitney; those that cost most come first. Few calls prove little: of \
      five before and five after none is shown.

      Two runs of one program differ, too, by what else the machine does: compare those first.

      EXAMPLES
        hook-demo trace -q --json before.jsonl -- ./server-1.0
        hook-demo trace -q --json after.jsonl -- ./server-1.1
        hook-demo compare before.jsonl after.jsonl
        hook-demo compare --json before.jsonl after.jsonl   for scripts

      COLUMNS
        calls, median, p99: before → after
        change: of the median
        in all: how much longer all calls of the second trace took, by the means
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "The first trace: a file of --json, or - for standard input.")
  var before: String

  @Argument(help: "The second trace.")
  var after: String

  /// Creates the command, without its arguments.
  package init() {}

  package func validate() throws {
    if before == "-", after == "-" { throw ValidationError("one of the two traces needs a file") }
  }

  package func run() throws {
    let comparison = try output.reporting { () throws(Failure) in
      TraceComparison(try CallTimes(path: before), try CallTimes(path: after))
    }
    output.write(comparison.json, or: comparison.text(.forStandardOutput))
  }
}
#endif
