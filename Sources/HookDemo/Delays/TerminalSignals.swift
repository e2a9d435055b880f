import Foundation

/// Leaves a terminal clean when a signal ends or stops the program: Ctrl-C, Ctrl-Z, `kill`.
enum TerminalSignals {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Waits for the signals on a thread of its own, for as long as the program runs.
  ///
  /// To be called before other threads begin: they inherit that the signals wait.
  static func handle(for terminal: Terminal) {
    var signals = sigset_t()
    // SAFETY: the set is ours.
    unsafe sigemptyset(&signals)
    for signal in ending + [SIGTSTP] { unsafe sigaddset(&signals, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    Thread.detachNewThread { [signals] in
      var signals = signals
      var signal: Int32 = 0
      // SAFETY: both are this thread's.
      while unsafe sigwait(&signals, &signal) == 0 { receive(signal, terminal) }
    }
  }

  private static func receive(_ signal: Int32, _ terminal: Terminal) {
    guard signal != SIGTSTP else {
      terminal.lend { _ = kill(getpid(), SIGSTOP) }
      return
    }
    terminal.close()
    // The program ends by the signal, as it would without a terminal.
    Glibc.signal(signal, SIG_DFL)
    var signals = sigset_t()
    // SAFETY: the set is ours.
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(signal)
  }
}
