private import Glibc

/// Writes an error of a handler to standard error: its C caller cannot receive it.
public func reportHandlerError(_ error: any Error) { reportError(error, from: "a handler") }

/// Writes an error that nobody receives to standard error.
///
/// - Parameters:
///   - error: The error.
///   - source: Where it comes from, such as "a handler".
package func reportError(_ error: any Error, from source: String) {
  let line = "BlockRuntime: from \(source): \(error)\n"
  var bytes = Array(line.utf8)[...]
  while !bytes.isEmpty {
    // SAFETY: `write` reads no more than the buffer's count.
    let count = unsafe bytes.withUnsafeBytes {
      unsafe write(STDERR_FILENO, $0.baseAddress, $0.count)
    }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}
