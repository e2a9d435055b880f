import CommandOptionsAndResults
import Glibc

/// The traced program: its start, the signals that are forwarded to it, and its end.
struct TracedProcess {
  /// The end of the program.
  enum End {
    /// With a status.
    case exited(Int32)
    /// By a signal.
    case killed(Int32, Asking?)

    /// The exit status that a shell would report.
    var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal, _): 128 + signal
      }
    }

    /// What happened to the program.
    var words: String {
      switch self {
      case .exited(let status):
        return "exited with status \(status)"
      case .killed(let signal, let asking?):
        return "was ended by \(TracedProcess.name(of: signal)), which \(asking.rawValue)"
      case .killed(let signal, nil):
        // SAFETY: the text lives until the thread's next call of strsignal; it is copied at once.
        let name = unsafe strsignal(signal).map { unsafe String(cString: $0) } ?? "unknown"
        return "died of signal \(signal) (\(name))"
      }
    }
  }

  /// The way of a signal by which the user ended the program.
  enum Asking: String {
    case tracer = "was passed on"
    case terminal = "the terminal sent"
  }

  /// The signals by which users end programs: those of the terminal reach the program directly,
  /// others are forwarded to it, but for SIGQUIT, which asks for a report.
  private static let asking = [
    (SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP"), (SIGQUIT, "SIGQUIT"),
  ]

  /// The name of a signal, or its number if it is none of those.
  private static func name(of signal: Int32) -> String {
    asking.first { $0.0 == signal }?.1 ?? "signal \(signal)"
  }

  /// The process number.
  let number: pid_t

  private let awaited: sigset_t

  /// The signals that have come so far.
  private var asked: [Int32: Asking] = [:]

  /// Whether the last `wait` was told that a report is wanted.
  private(set) var isReportWanted = false

  /// Starts a program with the standard streams of this process.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - words: The number of last words of the command line that are its name and arguments.
  ///   - environment: Its environment.
  /// - Throws: `noProcess`.
  init(path: String, words: Int, environment: [[UInt8]]) throws(Failure) {
    var (awaited, before) = (sigset_t(), sigset_t())
    // SAFETY: the sets are local variables, which the functions write only during the calls.
    unsafe sigemptyset(&awaited)
    for signal in Self.asking.map(\.0) + [SIGCHLD] { unsafe sigaddset(&awaited, signal) }
    // The signals stay pending until `wait` takes them; the program gets the mask of before.
    unsafe pthread_sigmask(SIG_BLOCK, &awaited, &before)
    self.awaited = awaited

    // SAFETY: the attributes and sets are local variables; the attributes are initialised here, and
    // destroyed once, after the process was started.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setsigmask(&attributes, &before)
    // The reader of the trace may end first: this process ignores SIGPIPE, the program does not.
    signal(SIGPIPE, SIG_IGN)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    // SAFETY: strdup copies each line, which ends with a zero; all copies are freed once.
    var lines: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { line in
      unsafe strdup(line.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe lines.append(nil)
    defer { unsafe lines.forEach { line in unsafe free(line) } }
    var number: pid_t = 0
    // The words themselves, because not all words are Unicode text.
    // SAFETY: `unsafeArgv` has `argc` words, of which `words` are the last, and then a null; the
    // lines end with a null too, and all of them live until the call returns.
    let arguments = unsafe CommandLine.unsafeArgv + (Int(CommandLine.argc) - words)
    let error = unsafe posix_spawn(&number, path, nil, &attributes, arguments, &lines)
    guard error == 0 else {
      let reason = SystemError.text(error)
      throw Failure(
        code: "noProcess", message: "\(path) cannot be started: \(reason); start it without trace")
    }
    self.number = number
  }

  /// Waits for the program's end, for a limited time.
  ///
  /// - Returns: Nil if it has not ended.
  mutating func wait(milliseconds: Int) -> End? {
    // SAFETY: every pointer is to a local variable, which the functions use only during the calls.
    var set = awaited
    var information = unsafe siginfo_t()
    var timeout = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    let signal = unsafe sigtimedwait(&set, &information, &timeout)
    let isAsking = Self.asking.contains { $0.0 == signal }
    let isFromTerminal = unsafe isAsking && Self.isFromTerminal(information)
    isReportWanted = signal == SIGQUIT && !isFromTerminal
    if isAsking, !isReportWanted {
      asked[signal] = isFromTerminal ? .terminal : .tracer
      if !isFromTerminal { kill(number, signal) }
    }
    var status: Int32 = 0
    guard unsafe waitpid(number, &status, WNOHANG) == number else { return nil }
    // The layout of a wait status is Linux's, see wait(2).
    let killer = status & 0x7F
    return killer == 0 ? .exited(status >> 8 & 0xFF) : .killed(killer, asked[killer])
  }

  /// Whether the kernel sent a signal, to all foreground processes, rather than another process.
  private static func isFromTerminal(_ information: siginfo_t) -> Bool {
    // SAFETY: every signal sets `si_code`. The value is SI_KERNEL of <asm-generic/siginfo.h>.
    unsafe information.si_code == 0x80
  }
}
