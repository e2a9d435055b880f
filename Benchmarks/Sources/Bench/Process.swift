import Glibc

/// A finished program.
struct ProcessOutput {
  /// What it printed, errors included, line by line.
  let lines: [Substring]

  /// Whether it exited with status 0.
  let succeeded: Bool

  /// Runs a program and waits for it.
  ///
  /// - Parameter words: The program, by its path or its name, and its arguments.
  /// - Returns: What it printed; nothing and no success if it could not be started.
  static func running(_ words: [String]) -> ProcessOutput {
    let command = words.map(quoted).joined(separator: " ")
    // SAFETY: the stream is this function's own, read until its end and closed once.
    guard let stream = unsafe popen("\(command) 2>&1", "r") else {
      return ProcessOutput(lines: [], succeeded: false)
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, stream)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    let status = unsafe pclose(stream)
    let text = String(decoding: bytes, as: UTF8.self)
    return ProcessOutput(lines: text.split(separator: "\n"), succeeded: status == 0)
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
