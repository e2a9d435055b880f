#if Everything
internal import ArgumentParser

/// The options that every command has.
package struct OutputOptions: ParsableArguments {
  @Flag(help: "Print exactly one JSON document on standard output, errors included.")
  package var json = false

  /// Creates the options with their defaults.
  package init() {}

  /// Runs an operation, and reports its failure in the requested form.
  ///
  /// - Throws: The exit status 1 if the operation failed.
  package func reporting(_ operation: () throws(Failure) -> Void) throws {
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
#endif
