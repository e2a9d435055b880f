#if Everything
import ArgumentParser
private import BlockRuntimeSuggestions
import CallDocuments
import CommandOptionsAndResults
import TracingCommands

/// The command line: `tour`, `hook`, `delay`, `observe`, `forward`, `trace`,
/// `tell`, `interpose`, `compare`, `encoding`, `signature` and `call`.
@main
struct HookDemo: ParsableCommand {
  /// The package's version, with `-dev` before its release.
  ///
  /// `VersionTests` and `Scripts/release` compare the change log with this text, and the latter
  /// makes the tag.
  static let version = "0.2.0-dev"

  static let configuration = CommandConfiguration(
    commandName: "hook-demo",
    abstract: "Describes, calls and hooks real blocks, and explains type encodings.",
    discussion: """
      Without a subcommand the tour runs: it hooks blocks that the Swift compiler and clang made, \
      and blocks queued on libdispatch, and checks every step.

      EXAMPLES
        hook-demo                                 the tour
        hook-demo hook --trace html calls.html    hooks in depth, with a timeline
        hook-demo delay                           delayed blocks, some cancelled
        hook-demo observe                         observers of objects that change
        hook-demo forward                         messages, delegates and proxies
        hook-demo trace -- ./server --port 80     the block calls of a program
        hook-demo tell 4711 unfinished            what waits in a traced process
        hook-demo interpose - getenv '*r*' -- ls  its calls of any C function
        hook-demo compare old.jsonl new.jsonl     two traces: what became slower
        hook-demo encoding '{CGPoint="x"d"y"d}'   the layout of one type
        hook-demo signature 'i20@?0i8d12'         the arguments of a block
        hook-demo call libm.so.6 pow ddd 2 10     a call of any C function
        hook-demo encoding --json '[12^f]'        JSON, for scripts
        hook-demo encoding -- '-x'                a value with a hyphen

      EXIT STATUS
        0   success
        1   a failed operation: a bad encoding, a step that did not behave,
            a call that ended its process
        64  wrong usage
        141 standard output was closed before the end

      Results go to standard output, errors to standard error; with --json both are one JSON \
      document on standard output. Colour is used on a terminal only, and never with NO_COLOR.
      """,
    version: version,
    subcommands: [
      TourCommand.self, HookCommand.self, EncodingCommand.self, SignatureCommand.self,
      CallCommand.self, DelayCommand.self, ObserveCommand.self, ForwardCommand.self,
      TraceCommand.self, TellCommand.self, InterposeCommand.self, CompareCommand.self,
      CallWorkerCommand.self,
    ],
    defaultSubcommand: TourCommand.self)

  /// Runs the command that the arguments name, and exits with its status.
  ///
  /// With `--json` a usage error is also written as a JSON document, in addition to standard error.
  static func main() {
    let words = CallCommand.marked(Array(CommandLine.arguments.dropFirst()))
    do {
      try checkSubcommand(words)
      var command = try parseAsRoot(words)
      try command.run()
    } catch {
      let status = exitCode(for: error)
      if status == .validationFailure, asksForJSON(words) {
        let failure = Failure(code: "usage", message: message(for: error))
        StandardOutput.write(failure.json.text + "\n")
      }
      exit(withError: error)
    }
  }

  /// Whether words that could not be parsed request JSON; for `trace` and `interpose` the option
  /// names a file instead.
  private static func asksForJSON(_ words: [String]) -> Bool {
    let tracing = [TraceCommand.configuration, InterposeCommand.configuration].map(\.commandName)
    return !tracing.contains(words.first) && words.prefix { $0 != "--" }.contains("--json")
  }

  /// Refuses unknown subcommands, which the parser would take for arguments of the tour.
  private static func checkSubcommand(_ words: [String]) throws {
    let isHelp = words.first == "help"
    guard let word = isHelp ? words.dropFirst().first : words.first, !word.hasPrefix("-") else {
      return
    }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard !names.contains(word) else { return }
    let meant = Suggestion.nearest(to: word, in: names).map { "; \($0) may be meant" } ?? ""
    throw ValidationError("There is no subcommand \(word)\(meant).")
  }
}
#else
import CommandOptionsAndResults
import Glibc

/// The program without the trait `Everything`, which has no commands.
@main
struct HookDemo {
  static func main() {
    StandardError.write(
      """
      This hook-demo has no commands: they need the trait Everything. Scripts/demo builds and runs \
      it, or
        swift run --traits Everything --scratch-path .build/everything hook-demo

      """)
    exit(EX_UNAVAILABLE)
  }
}
#endif
