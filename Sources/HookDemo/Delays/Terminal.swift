internal import BlockRuntimeThreads
import CommandConventions
import Glibc
import Synchronization

/// How many characters a terminal shows.
struct TerminalSize: Sendable {
  /// Its lines.
  var rows = 24

  /// Its columns.
  var columns = 80
}

/// The terminal of standard output: a picture that is drawn again in its place.
///
/// Between pictures the cursor is at the beginning of the line below.
final class Terminal: Sendable {
  private struct State {
    /// How many lines the picture has.
    var lineCount = 0
    var isOpen = true
  }

  private let state = Locked(State())

  /// Whether standard output can show a picture.
  static var isThere: Bool {
    // SAFETY: nothing changes the environment while the program runs.
    let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    return isatty(STDOUT_FILENO) == 1 && kind != nil && kind != "dumb"
  }

  /// The size now, or that of most terminals.
  static var size: TerminalSize {
    var size = winsize()
    // SAFETY: the kernel fills the structure.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
      size.ws_col > 0
    else { return TerminalSize() }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// Draws a picture in the place of the last one.
  func draw(_ lines: [String]) {
    state.withLock { state in
      guard state.isOpen else { return }
      let up = state.lineCount > 0 ? "\u{1B}[\(state.lineCount)A" : ""
      let text = lines.map { "\($0)\u{1B}[K\n" }.joined()
      state.lineCount = lines.count
      StandardOutput.write("\u{1B}[?25l\r\(up)\(text)\u{1B}[J")
    }
  }

  /// Shows the cursor below the picture; nothing is drawn any more.
  func close() {
    state.withLock { state in
      guard state.isOpen else { return }
      state.isOpen = false
      StandardOutput.write("\r\u{1B}[J\u{1B}[?25h")
    }
  }

  /// Shows the cursor below the picture while something else uses the terminal; the next picture is a
  /// new one.
  func lend(_ body: () -> Void) {
    state.withLock { state in
      guard state.isOpen else { return }
      StandardOutput.write("\r\u{1B}[J\u{1B}[?25h")
      state.lineCount = 0
      body()
    }
  }
}
