import CallTracing
import CommandOptionsAndResults
import Glibc

/// The trace of a process, which `hook-demo tell` asks.
///
/// A traced process has its stream or the trace's switch mapped, as the tracing command has: by
/// that the kernel tells of each living process to which trace it belongs.
struct TellTarget {
  private let process: Int32
  private let directory: Int32

  /// The reply to a request that comes too late.
  static let ended = Failure(
    code: "traceEnded", message: "the trace has ended; its tables are in its own output")

  /// The most seconds that an answer takes: `stop` waits for programs, and for blocks.
  private static let patience = 60

  /// Finds the trace of a process.
  ///
  /// - Throws: `noProcess`, `notPermitted`, `notTraced`, `traceEnded`.
  init(of process: Int32) throws(Failure) {
    self.process = process
    guard let path = try Self.directory(of: process) else {
      throw Failure(
        code: "notTraced",
        message: "process \(process) runs, but hook-demo did not start it, so nothing in it "
          + "listens; start it again by hook-demo trace --start-idle -- …")
    }
    // SAFETY: the path is null-terminated for the call; the status is a variable.
    directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    var status = stat()
    guard unsafe directory >= 0 && fstat(directory, &status) == 0 else { throw Self.ended }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw Failure(
        code: "notPermitted",
        message: "user \(status.st_uid) traces process \(process); ask as that user: "
          + "sudo -u '#\(status.st_uid)' hook-demo tell \(process) …")
    }
    guard TraceDirectory.isCollected(path) else {
      throw Failure(
        code: "traceEnded",
        message: "the hook-demo that traced process \(process) has ended, and the process goes on "
          + "untraced; start it again by hook-demo trace")
    }
  }

  /// Asks, and waits for the answer.
  ///
  /// - Throws: `otherVersion`, `noAnswer`, and what the trace refuses.
  func ask(_ request: TellRequest) throws(Failure) -> String {
    defer { close(directory) }
    // The trace may end meanwhile, which the answer tells.
    signal(SIGPIPE, SIG_IGN)
    guard let socket = TellSocket(connectingIn: directory) else {
      throw otherVersion("")
    }
    defer { socket.close() }
    socket.limit(SO_RCVTIMEO, seconds: Self.patience)
    guard socket.write(request.line), let answer = socket.readAll(), !answer.isEmpty else {
      let command = socket.peer.map { "hook-demo, process \($0.process)," } ?? "hook-demo"
      throw Failure(
        code: "noAnswer",
        message: "\(command) does not answer; see whether it has ended or is suspended")
    }
    let parts = answer.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let text = parts.count > 1 ? String(parts[1]) : ""
    switch parts[0] {
    case "ok": return text
    case "otherVersion":
      let file = socket.peer.flatMap { FileDescriptor.target(ofLink: "/proc/\($0.process)/exe") }
      throw otherVersion(file.map { ", \($0)" } ?? "")
    default: throw Failure(code: String(parts[0]), message: text)
    }
  }

  private func otherVersion(_ file: String) -> Failure {
    Failure(
      code: "otherVersion",
      message: "process \(process) is traced by another version of hook-demo\(file); ask by that "
        + "one")
  }

  /// The directory of the trace to which a process belongs; nil for none.
  private static func directory(of process: Int32) throws(Failure) -> String? {
    let own = "/proc/\(process)"
    guard let maps = FileContents.read("\(own)/maps") else {
      throw failure(process, errno)
    }
    if let directory = directory(inMaps: maps) { return directory }
    // A process whose first thread has ended has none for itself.
    for thread in TraceDirectory.files(in: "\(own)/task", endingWith: "") where maps.isEmpty {
      let maps = FileContents.read("\(thread)/maps")
      if let directory = maps.flatMap(directory) { return directory }
    }
    return nil
  }

  private static func directory(inMaps text: [UInt8]) -> String? {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let start = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
      let path = String(decoding: line[start...], as: UTF8.self)
      if let directory = TraceDirectory.directory(ofFile: path) { return directory }
    }
    return nil
  }

  private static func failure(_ process: Int32, _ error: Int32) -> Failure {
    guard error == EACCES || error == EPERM else {
      return Failure(
        code: "noProcess",
        message: "there is no process \(process); pgrep -ox NAME finds that of a program")
    }
    return Failure(
      code: "notPermitted",
      message: "process \(process) may not be looked at: it is another user's, or has changed its "
        + "user; ask as root, or as the user who began the trace")
  }
}
