import ArgumentParser

/// The options that every command has.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print exactly one JSON document on standard output, errors included.")
  var json = false

  /// Whether arguments that could not be parsed ask for JSON.
  static func areJSON(_ arguments: [String]) -> Bool {
    let tracing = [TraceCommand.configuration, InterposeCommand.configuration].map(\.commandName)
    return !tracing.contains(arguments.first)
      && arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Runs an operation that fails with a `Failure`, reporting it in the form asked for.
  ///
  /// - Throws: The exit status 1 if the operation failed.
  func reporting(_ operation: () throws(Failure) -> Void) throws {
    do throws(Failure) {
      try operation()
    } catch {
      if json {
        StandardOutput.write(error.json.text + "\n")
      } else {
        StandardError.write(error.text)
      }
      throw ExitCode.failure
    }
  }
}
