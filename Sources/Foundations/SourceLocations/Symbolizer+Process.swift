internal import BlockRuntimeErrors
internal import Glibc

// The symbolizer's process: where the program is, and how it is started.
extension Symbolizer {
  /// The path of the program: `BLOCKRUNTIME_SYMBOLIZER`, or the first in the folders of `PATH` with
  /// its name, or with its name and a version.
  static func program() throws(SourceLocationError) -> String {
    if let chosen = variable("BLOCKRUNTIME_SYMBOLIZER") { return chosen }
    let name = "llvm-symbolizer"
    let folders = (variable("PATH") ?? "/usr/bin").split(separator: ":")
    let names = [name] + (13...40).reversed().map { "\(name)-\($0)" }
    for name in names {
      for folder in folders where isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    throw SourceLocationError(
      .noSymbolizer,
      "no llvm-symbolizer in PATH; it comes with Swift's toolchain, and with Debian's package llvm")
  }

  private static func isProgram(_ path: String) -> Bool {
    // SAFETY: the path is null-terminated for the call.
    unsafe status(ofFile: path) != nil && access(path, X_OK) == 0
  }

  private static func variable(_ name: String) -> String? {
    // SAFETY: the value is copied at once.
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Starts the program, which reads and writes the other end of the returned socket.
  static func start(
    _ path: String
  ) throws(SourceLocationError) -> (process: pid_t, socket: Int32) {
    var ends: [Int32] = [-1, -1]
    // Processes that other threads start meanwhile do not inherit the ends.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    // SAFETY: the function writes both ends. The actions are initialised here and destroyed once.
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw failure(of: path, "no pipe", errno)
    }
    defer { close(ends[1]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // The symbolizer says there which files it cannot read.
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // SAFETY: strdup copies the words; all copies are freed once, after the process was started.
    let arguments = [path, "--functions=none", "--addresses"]
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(&process, path, &actions, nil, &words, &variables)
    guard status == 0 else {
      close(ends[0])
      throw failure(of: path, "it cannot be started", status)
    }
    return (process, ends[0])
  }

  /// Variables that are for this program only, or change what the symbolizer prints.
  private static let leftOut = [
    "LD_PRELOAD=", "LD_AUDIT=", "LLVM_SYMBOLIZER_OPTS=", "DEBUGINFOD_URLS=",
  ]

  /// This process's environment without these variables.
  private static var environment: [String] {
    var all: [String] = []
    // SAFETY: the list ends with a null; it is read on a thread that may read it, as `getenv` does.
    var next = unsafe environ
    while let line = unsafe next.pointee {
      let text = unsafe String(cString: line)
      if !leftOut.contains(where: text.hasPrefix) { all.append(text) }
      unsafe next += 1
    }
    return all
  }

  static func failure(
    of path: String, _ what: String, _ number: Int32 = 0
  ) -> SourceLocationError {
    let reason = number == 0 ? "" : ": " + SystemError.text(number)
    return SourceLocationError(
      .noSymbolizer,
      "\(path): \(what)\(reason); BLOCKRUNTIME_SYMBOLIZER may name another llvm-symbolizer")
  }
}
