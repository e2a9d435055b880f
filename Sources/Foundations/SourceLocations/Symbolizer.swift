internal import BlockRuntimeErrors
package import CodeSymbols
private import Glibc

/// A process of the program `llvm-symbolizer` of the toolchain, or of Debian, which answers one
/// question after another.
package final class Symbolizer {
  private let path: String
  private let process: pid_t

  /// The end of the socket that the process reads and writes.
  private let socket: Int32

  private var hasEnded = false

  /// How long the process may take for all of its answers from now on, in nanoseconds.
  private var patience: UInt64

  /// When it must have written its answer, by `CLOCK_MONOTONIC`, and what that may have yet, in bytes.
  private var (deadline, room) = (UInt64(0), 0)

  /// The time after which files without a build ID must not have been changed; nil if that is not
  /// known.
  private let unchangedSince: UInt64?

  /// Whether files are those that were loaded, by their paths and build IDs.
  private var areLoaded: [CodePlace: Bool] = [:]

  /// The bytes that the process wrote and nobody has read yet.
  private var written: [UInt8] = []

  /// Starts the program: `BLOCKRUNTIME_SYMBOLIZER`, or the first in the folders of `PATH` with its
  /// name, or with its name and a version.
  ///
  /// - Parameters:
  ///   - seconds: How long it may take for all answers together.
  ///   - unchangedSince: In nanoseconds since 1970, when code of files without a build ID was loaded;
  ///     files that were changed since are not those.
  /// - Throws: `noSymbolizer`.
  package init(
    seconds: Int = 60, unchangedSince: UInt64? = nil
  ) throws(SourceLocationError) {
    path = try Self.program()
    patience = UInt64(seconds) * 1_000_000_000
    self.unchangedSince = unchangedSince
    (process, socket) = try Self.start(path)
  }

  deinit {
    close(socket)
    _ = end()
  }

  private static func program() throws(SourceLocationError) -> String {
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

  /// The status of a file; nil if there is none, or something else.
  private static func status(ofFile path: String) -> stat? {
    var status = stat()
    // SAFETY: the path is null-terminated for the call, and the status a variable.
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
  }

  private static func variable(_ name: String) -> String? {
    // SAFETY: the value is copied at once.
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: - Questions

  /// Finds where code was written.
  ///
  /// - Parameter place: The code.
  /// - Returns: The locations, that in the innermost inlined function first; empty if the file has no
  ///   debug information for the code, or is not the one that was loaded.
  /// - Throws: `noSymbolizer` if the process ends or takes too long.
  package func locations(
    of place: CodePlace
  ) throws(SourceLocationError) -> [SourceLocation] {
    // For the symbolizer, `self` would be its own process.
    let file = place.file == "/proc/self/exe" ? "/proc/\(getpid())/exe" : place.file
    let begin = "0x\(String(place.address, radix: 16))"
    let question = "\"\(file)\" \(begin)\n"
    guard question.utf8.count <= Self.questionLimit, !file.contains(where: { "\"\n".contains($0) }),
      isLoaded(file, place.buildID)
    else { return [] }
    // A second question ends the answer: the name of a source file may have any line but that of an
    // address which nobody can guess.
    let end = "0x\(String(UInt64.random(in: 1...UInt64.max), radix: 16))"
    (deadline, room) = (Self.now &+ patience, Self.answerLimit)
    defer { patience = deadline - min(Self.now, deadline) }
    try ask("\(question)\"/\" \(end)\n")
    var lines: [String] = []
    while case let line = try line(), line != end { lines.append(line) }
    let answer = lines.drop { $0 != begin }.dropFirst().dropLast()
    return answer.contains("") ? [] : answer.compactMap { SourceLocation($0) }
  }

  /// The symbolizer reads less than a kibibyte at once, in bytes.
  private static let questionLimit = 1_000

  /// More than a hundred inlined functions, in bytes.
  private static let answerLimit = 1 << 18

  /// Whether a file is the one that was loaded as an image with a build ID.
  private func isLoaded(_ file: String, _ buildID: UInt64) -> Bool {
    let key = CodePlace(file: file, address: 0, buildID: buildID)
    if let known = areLoaded[key] { return known }
    var isSame = CodePlace.buildID(ofFile: file) == buildID
    if isSame, buildID == 0 {
      let changed = Self.status(ofFile: file)?.st_ctim.nanoseconds
      isSame = changed.map { $0 <= unchangedSince ?? .max } == true
    }
    areLoaded[key] = isSame
    return isSame
  }

  private func ask(_ question: String) throws(SourceLocationError) {
    var rest = Array(question.utf8)[...]
    while !rest.isEmpty {
      // SAFETY: the buffer has the length that is passed.
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("it ended with the state \(end())", 0) }
      rest = rest.dropFirst(count)
    }
  }

  /// The next line, without its end.
  private func line() throws(SourceLocationError) -> String {
    let end = UInt8(ascii: "\n")
    while true {
      if let length = written.firstIndex(of: end) {
        defer { written.removeFirst(length + 1) }
        return String(decoding: written[..<length], as: UTF8.self)
      }
      try read()
    }
  }

  private func read() throws(SourceLocationError) {
    let now = Self.now
    guard now < deadline else { throw failure("it took too long", 0) }
    guard room > 0 else { throw failure("it wrote too much", 0) }
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    // SAFETY: the pointer is to one request.
    let isReady = unsafe poll(&request, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1)) == 1
    guard isReady else { return }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // SAFETY: the buffer has the length that is passed.
    let count = unsafe Glibc.read(socket, &bytes, bytes.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { throw failure("it ended with the state \(self.end())", 0) }
    written += bytes[..<count]
    room -= count
  }

  private static var now: UInt64 {
    var time = timespec()
    // SAFETY: the time is a variable.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.nanoseconds
  }

  // MARK: - The process

  private static func start(
    _ path: String
  ) throws(SourceLocationError) -> (process: pid_t, socket: Int32) {
    var ends: [Int32] = [-1, -1]
    // No process inherits them that another thread starts meanwhile.
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
    // It says there which files it cannot read.
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

  /// Ends the process, and returns its state; 0 if another one has taken that.
  private func end() -> Int32 {
    var state: Int32 = 0
    guard !hasEnded else { return state }
    hasEnded = true
    // One that is ending by itself keeps its state.
    kill(process, SIGKILL)
    // SAFETY: the state is a variable.
    var waited = unsafe waitpid(process, &state, 0)
    while waited < 0, errno == EINTR { waited = unsafe waitpid(process, &state, 0) }
    return state
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

  private func failure(_ what: String, _ number: Int32) -> SourceLocationError {
    Self.failure(of: path, what, number)
  }

  private static func failure(
    of path: String, _ what: String, _ number: Int32
  ) -> SourceLocationError {
    // SAFETY: the text is copied at once.
    let reason = number == 0 ? "" : unsafe ": " + String(cString: strerror(number))
    return SourceLocationError(
      .noSymbolizer,
      "\(path): \(what)\(reason); BLOCKRUNTIME_SYMBOLIZER may name another llvm-symbolizer")
  }
}

extension timespec {
  fileprivate var nanoseconds: UInt64 { UInt64(tv_sec) * 1_000_000_000 + UInt64(tv_nsec) }
}
