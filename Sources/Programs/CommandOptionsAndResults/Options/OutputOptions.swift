#if Everything
internal import ArgumentParser

/// The options that every command has.
package struct OutputOptions: ParsableArguments {
  @Flag(help: "Print exactly one JSON document on standard output, errors included.")
  package var json = false

  package init() {}

  /// Writes a JSON document, or a text instead.
  package func write(
    _ document: @autoclosure () -> JSONValue, or text: @autoclosure () -> String
  ) {
    StandardOutput.write(json ? document().text + "\n" : text())
  }

  /// Runs an operation, and reports its failure in the requested form.
  ///
  /// - Returns: The operation's result.
  /// - Throws: The exit status 1 if the operation failed.
  package func reporting<Result>(_ operation: () throws(Failure) -> Result) throws -> Result {
    do throws(Failure) {
      return try operation()
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
