import CommandConventions
import Glibc

// SAFETY, for the whole file: every pointer is to memory of the function that makes the system call,
// for its duration.

/// The program that is traced: its start, the signals that are for it, and its end.
struct TracedProcess {
  /// How it ended.
  enum End {
    /// With a status.
    case exited(Int32)
    /// By a signal.
    case killed(Int32)

    /// The status that a shell would see.
    var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// The signals that go on to the program; those of the terminal reach it without us.
  private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Its number.
  let number: pid_t

  private let awaited: sigset_t

  /// Starts a program with the standard streams of this process.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - words: How many of the last words of the command line are its name and arguments.
  ///   - environment: Its environment.
  /// - Throws: `noProcess`.
  init(path: String, words: Int, environment: [[UInt8]]) throws(Failure) {
    var (awaited, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&awaited)
    for signal in Self.forwarded + [SIGCHLD] { unsafe sigaddset(&awaited, signal) }
    // They wait until they are asked for; the program gets them as this process had them.
    unsafe pthread_sigmask(SIG_BLOCK, &awaited, &before)
    self.awaited = awaited

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setsigmask(&attributes, &before)
    // Who reads the trace may end first; what ignores that is this process, not the program.
    signal(SIGPIPE, SIG_IGN)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var lines: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { line in
      unsafe strdup(line.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe lines.append(nil)
    defer { unsafe lines.forEach { line in unsafe free(line) } }
    var number: pid_t = 0
    // The words themselves, for not every one is Unicode text; a null follows them.
    let arguments = unsafe CommandLine.unsafeArgv + (Int(CommandLine.argc) - words)
    let error = unsafe posix_spawn(&number, path, nil, &attributes, arguments, &lines)
    guard error == 0 else {
      let reason = SystemError.text(error)
      throw Failure(
        code: "noProcess", message: "\(path) cannot be started: \(reason); start it without trace")
    }
    self.number = number
  }

  /// Waits for the program's end, or for a while.
  ///
  /// - Returns: Nil if it has not ended.
  func wait(milliseconds: Int) -> End? {
    var set = awaited
    var information = unsafe siginfo_t()
    var timeout = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    let signal = unsafe sigtimedwait(&set, &information, &timeout)
    if Self.forwarded.contains(signal), unsafe !Self.isFromTerminal(information) {
      kill(number, signal)
    }
    var status: Int32 = 0
    guard unsafe waitpid(number, &status, WNOHANG) == number else { return nil }
    // The layout of a wait status is Linux's, see wait(2).
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
  }

  /// Whether the kernel sent a signal, to all processes in the foreground, rather than somebody.
  private static func isFromTerminal(_ information: siginfo_t) -> Bool {
    // SI_KERNEL of <asm-generic/siginfo.h>.
    unsafe information.si_code == 0x80
  }
}
