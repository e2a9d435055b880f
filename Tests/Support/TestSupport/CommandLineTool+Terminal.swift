private import Foundation
private import XCTest

extension CommandLineTool {
  /// Runs a command whose standard output is a terminal, and returns what it writes there.
  public static func onTerminal(
    _ command: [String], _ environment: [String: String] = [:]
  ) throws -> String {
    var controller: Int32 = -1
    var terminal: Int32 = -1
    // SAFETY: `openpty` writes both descriptors; the name, attributes and size are optional.
    try XCTSkipIf(
      unsafe openpty(&controller, &terminal, nil, nil, nil) != 0,
      "the system has no pseudo-terminals")
    defer { close(controller) }

    // A terminal's buffer is small, so it must be read while the command runs.
    let reader = TerminalReader(controller)
    let variables = ["TERM": "xterm"].merging(environment) { _, new in new }
    let outcome = try run(
      command, environment: variables,
      output: FileHandle(fileDescriptor: terminal, closeOnDealloc: false))
    close(terminal)
    XCTAssertEqual(outcome.status, 0, "\(command)")
    return reader.finish()
  }
}

/// Reads what arrives at a terminal's controlling side until the other side is closed.
private final class TerminalReader: @unchecked Sendable {
  // SAFETY: only the reading thread writes `bytes`; it is read after the semaphore was signalled.
  private var bytes: [UInt8] = []
  private let end = DispatchSemaphore(value: 0)

  init(_ descriptor: Int32) {
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // SAFETY: the kernel writes no more than the buffer's count.
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
          unsafe read(descriptor, bytes.baseAddress, bytes.count)
        }
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
      }
      end.signal()
    }
  }

  func finish() -> String {
    end.wait()
    return String(decoding: bytes, as: UTF8.self)
  }
}
