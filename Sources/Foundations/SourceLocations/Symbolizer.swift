internal import BlockRuntimeErrors
private import Glibc

/// The program `llvm-symbolizer` of the toolchain, or of Debian.
struct Symbolizer {
  /// More would not fit in the arguments of a process.
  private static let mostAddresses = 1_000

  private let path: String

  /// Finds the program: `BLOCKRUNTIME_SYMBOLIZER`, or the first in the folders of `PATH` with its
  /// name, or with its name and a version.
  ///
  /// - Throws: `noSymbolizer`.
  init() throws(SourceLocationError) {
    if let chosen = Self.variable("BLOCKRUNTIME_SYMBOLIZER") {
      path = chosen
      return
    }
    let name = "llvm-symbolizer"
    let folders = (Self.variable("PATH") ?? "/usr/bin").split(separator: ":")
    let names = [name] + (13...40).reversed().map { "\(name)-\($0)" }
    for name in names {
      for folder in folders where Self.isProgram("\(folder)/\(name)") {
        path = "\(folder)/\(name)"
        return
      }
    }
    throw SourceLocationError(
      .noSymbolizer,
      "no llvm-symbolizer in PATH; it comes with Swift's toolchain, and with Debian's package llvm")
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: the path is null-terminated for the calls, and the status a variable.
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }

  private static func variable(_ name: String) -> String? {
    // SAFETY: the value is copied at once.
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Finds where the code at addresses of a file was written.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, as they stand in the file.
  ///   - file: The path of the program or library.
  /// - Returns: The innermost location of each.
  /// - Throws: `noSymbolizer` if the program cannot be started, or ends with an error.
  func locations(
    of addresses: [UInt], in file: String
  ) throws(SourceLocationError) -> [SourceLocation?] {
    var locations: [SourceLocation?] = []
    // What this is of the symbolizer.
    let file = file == "/proc/self/exe" ? "/proc/\(getpid())/exe" : file
    for start in stride(from: 0, to: addresses.count, by: Self.mostAddresses) {
      let some = addresses[start...].prefix(Self.mostAddresses)
      let output = try run(
        ["--functions=none", "--obj=\(file)"] + some.map { "0x\(String($0, radix: 16))" })
      // After the lines of each address, those of inlined functions first, comes an empty one.
      let answers = output.split(separator: "\n\n", omittingEmptySubsequences: true)
      for index in some.indices {
        let lines = answers.dropFirst(index - some.startIndex).first?.split(separator: "\n")
        locations.append(lines?.first.flatMap { SourceLocation($0) })
      }
    }
    return locations
  }

  /// Runs the program, and returns what it prints.
  private func run(_ arguments: [String]) throws(SourceLocationError) -> String {
    var ends: [Int32] = [-1, -1]
    // Sockets, which no process inherits that another thread starts meanwhile: pipes cannot be made
    // so in Swift.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    // SAFETY: the function writes both ends. The actions are initialised here and destroyed once.
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw failure("no pipe", errno) }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // SAFETY: strdup copies the words; all copies are freed once, after the process was started.
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe Self.environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(&process, path, &actions, nil, &words, &variables)
    close(ends[1])
    guard status == 0 else { throw failure("it cannot be started", status) }
    let output = Self.read(ends[0])
    var state: Int32 = 0
    var waited = unsafe waitpid(process, &state, 0)
    while waited < 0, errno == EINTR { waited = unsafe waitpid(process, &state, 0) }
    // A program that waits for all of its processes may have taken the state.
    guard waited < 0 || state == 0 else { throw failure("it ended with the state \(state)", 0) }
    return output
  }

  /// What is for this program only, or changes what the symbolizer prints.
  private static let leftOut = [
    "LD_PRELOAD=", "LD_AUDIT=", "LLVM_SYMBOLIZER_OPTS=", "DEBUGINFOD_URLS=",
  ]

  /// The process's environment for the symbolizer.
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

  private static func read(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    let capacity = 4_096
    unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
      while true {
        // SAFETY: the buffer has room for what is read.
        let count = unsafe Glibc.read(descriptor, buffer.baseAddress, capacity)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        unsafe bytes.append(contentsOf: buffer[..<count])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func failure(_ what: String, _ number: Int32) -> SourceLocationError {
    // SAFETY: the text is copied at once.
    let reason = number == 0 ? "" : unsafe ": " + String(cString: strerror(number))
    return SourceLocationError(
      .noSymbolizer,
      "\(path): \(what)\(reason); BLOCKRUNTIME_SYMBOLIZER may name another llvm-symbolizer")
  }
}
