internal import BlockRuntimeErrors
package import CodeSymbols
internal import Glibc

/// A process of the program `llvm-symbolizer`, the toolchain's or Debian's, which answers one
/// question after another.
package final class Symbolizer {
  private let path: String
  private let process: pid_t

  /// This program's end of the socket that the process reads and writes.
  private let socket: Int32

  private var hasEnded = false

  /// How long the process may take for all of its answers from now on, in nanoseconds.
  private var patience: UInt64

  /// The time at which the answer must have arrived, by `CLOCK_MONOTONIC`, and how many more bytes
  /// it may have.
  private var (deadline, room) = (UInt64(0), 0)

  /// The time after which files without a build ID must not have been changed; nil if that is not
  /// known.
  private let unchangedSince: UInt64?

  /// Whether a file is the one that was loaded, by its path and build ID.
  private var areLoaded: [CodePlace: Bool] = [:]

  /// The bytes that the process wrote and nobody has read yet.
  private var written: [UInt8] = []

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - seconds: How long the process may take for all answers together.
  ///   - unchangedSince: The time at which code of files without a build ID was loaded, in
  ///     nanoseconds since 1970: such a file is refused if it was changed since.
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

  /// Finds where code was written.
  ///
  /// - Parameter place: The code.
  /// - Returns: The locations, first the one in the innermost inlined function; empty if the file
  ///   has no debug information for the code, or is not the one that was loaded.
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
    // The answer ends where that to a second question begins, about an address that nobody can
    // guess: the names of source files may have any other line.
    let end = "0x\(String(UInt64.random(in: 1...UInt64.max), radix: 16))"
    (deadline, room) = (Self.now &+ patience, Self.answerLimit)
    defer { patience = deadline - min(Self.now, deadline) }
    try ask("\(question)\"/\" \(end)\n")
    var lines: [String] = []
    while case let line = try line(), line != end { lines.append(line) }
    let answer = lines.drop { $0 != begin }.dropFirst().dropLast()
    return answer.contains("") ? [] : answer.compactMap { SourceLocation($0) }
  }

  /// The longest question in bytes: the symbolizer reads less than a kibibyte at once.
  private static let questionLimit = 1_000

  /// The longest answer in bytes, which has room for more than a hundred inlined functions.
  private static let answerLimit = 1 << 18

  /// The status of a file; nil if there is none at the path, or no regular one.
  static func status(ofFile path: String) -> stat? {
    var status = stat()
    // SAFETY: the path is null-terminated for the call, and the status a variable.
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
  }

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
      guard count > 0 else { throw failure("it ended with the state \(end())") }
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
    guard now < deadline else { throw failure("it took too long") }
    guard room > 0 else { throw failure("it wrote too much") }
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    // SAFETY: the pointer is to one request.
    let isReady = unsafe poll(&request, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1)) == 1
    guard isReady else { return }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // SAFETY: the buffer has the length that is passed.
    let count = unsafe Glibc.read(socket, &bytes, bytes.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { throw failure("it ended with the state \(end())") }
    written += bytes[..<count]
    room -= count
  }

  private static var now: UInt64 {
    var time = timespec()
    // SAFETY: the time is a variable.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.nanoseconds
  }

  /// Ends the process, and returns its state; 0 if that has been taken before.
  private func end() -> Int32 {
    var state: Int32 = 0
    guard !hasEnded else { return state }
    hasEnded = true
    // A process that is ending by itself keeps its state.
    kill(process, SIGKILL)
    // SAFETY: the state is a variable.
    var waited = unsafe waitpid(process, &state, 0)
    while waited < 0, errno == EINTR { waited = unsafe waitpid(process, &state, 0) }
    return state
  }

  private func failure(_ what: String) -> SourceLocationError { Self.failure(of: path, what) }
}

extension timespec {
  fileprivate var nanoseconds: UInt64 { UInt64(tv_sec) * 1_000_000_000 + UInt64(tv_nsec) }
}
