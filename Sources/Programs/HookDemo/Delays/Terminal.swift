internal import BlockRuntimeThreads
import CommandOptionsAndResults
import Foundation
import Glibc
import Synchronization

/// The size of a terminal in characters.
struct TerminalSize: Sendable {
  /// The number of lines.
  var rows = 24

  /// The number of columns.
  var columns = 80
}

/// The terminal of standard output, with a picture that is redrawn in place.
///
/// Between pictures the cursor is at the beginning of the line under the picture.
final class Terminal: Sendable {
  private struct State {
    /// The number of lines of the picture.
    var lineCount = 0
    var isOpen = true
  }

  private let state = Locked(State())

  /// Whether standard output can show a picture.
  static var isThere: Bool {
    // SAFETY: only `EngineOptions.choose()` changes the environment, before other threads start.
    let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    return isatty(STDOUT_FILENO) == 1 && kind != nil && kind != "dumb"
  }

  /// The current size, or 24 lines of 80 columns if it is unknown.
  static var size: TerminalSize {
    var size = winsize()
    // SAFETY: TIOCGWINSZ takes a `winsize`, which is a local variable for the duration of the call.
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

  /// Shows the cursor under the picture; later calls of `draw` do nothing.
  func close() {
    state.withLock { state in
      guard state.isOpen else { return }
      state.isOpen = false
      StandardOutput.write("\r\u{1B}[J\u{1B}[?25h")
    }
  }

  /// Shows the cursor under the picture while other output uses the terminal; the next picture is
  /// drawn anew.
  func lend(_ body: () -> Void) {
    state.withLock { state in
      guard state.isOpen else { return }
      StandardOutput.write("\r\u{1B}[J\u{1B}[?25h")
      state.lineCount = 0
      body()
    }
  }
}

/// Restores the terminal when a signal ends or stops the program: Ctrl-C, Ctrl-Z, `kill`.
enum TerminalSignals {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Waits for the signals on a separate thread, for as long as the program runs.
  ///
  /// Call this before other threads start, so that they inherit the blocked signals.
  static func handle(for terminal: Terminal) {
    var signals = sigset_t()
    // SAFETY: the set is a local variable, which the functions use only during the calls.
    unsafe sigemptyset(&signals)
    for signal in ending + [SIGTSTP] { unsafe sigaddset(&signals, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    Thread.detachNewThread { [signals] in
      var signals = signals
      var signal: Int32 = 0
      // SAFETY: both pointers are to local variables of this thread.
      while unsafe sigwait(&signals, &signal) == 0 { receive(signal, terminal) }
    }
  }

  private static func receive(_ signal: Int32, _ terminal: Terminal) {
    guard signal != SIGTSTP else {
      terminal.lend { _ = kill(getpid(), SIGSTOP) }
      return
    }
    terminal.close()
    // The signal ends the program, as it would without this handler.
    Glibc.signal(signal, SIG_DFL)
    var signals = sigset_t()
    // SAFETY: the set is a local variable, which the functions use only during the calls.
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(signal)
  }
}
