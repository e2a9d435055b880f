#if Macros
import Foundation
import Glibc
import Synchronization

/// The program whose functions are replaced while it runs, and the processes that it starts.
final class ReloadedProgram: Sendable {
  private struct State {
    /// The connections of processes that have the agent.
    var agents: [Int32] = []

    /// The libraries that all of them have opened, or tried to, in order.
    var libraries: [String] = []
  }

  private let state = Mutex(State())
  private let directory: URL
  private let process: Mutex<Process>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: Its arguments.
  ///   - agent: The path of the library that is preloaded.
  /// - Throws: `ReloadFailure`.
  init(_ program: String, _ arguments: [String], agent: String) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("hot-reload-\(UUID().uuidString.prefix(8))")
    let socket = directory.appendingPathComponent("agents").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    let preloaded = environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    environment["LD_PRELOAD"] = agent + preloaded
    environment["BLOCKRUNTIME_RELOAD"] = socket
    process.environment = environment
    self.process = Mutex(process)
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ReloadFailure(message: "reload: \(directory.path) cannot be made: \(error)")
    }
    let listener = try Self.listen(at: socket)
    Thread.detachNewThread { [weak self] in
      while true {
        let agent = accept(listener, nil, nil)
        guard agent >= 0, let self else { break }
        self.add(agent)
      }
      close(listener)
    }
    do {
      try self.process.withLock { try $0.run() }
    } catch {
      throw ReloadFailure(
        message: "reload: \(program) cannot be started: \(error.localizedDescription); "
          + "name a program of the package, or a path")
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// The program's exit status, 128 and more after a signal.
  var status: Int32 {
    process.withLock {
      $0.terminationReason == .exit ? $0.terminationStatus : 128 + $0.terminationStatus
    }
  }

  /// Has all processes open a library, and later those that begin then.
  ///
  /// - Throws: `ReloadFailure` if none has opened it.
  func open(_ library: String) throws {
    // A process that begins meanwhile is in the list, or finds the library there.
    let agents = state.withLock {
      $0.libraries.append(library)
      return $0.agents
    }
    var reasons: [String] = []
    var isOpen = false
    for agent in agents {
      switch Self.ask(agent, library) {
      case "ok": isOpen = true
      case let reason?: reasons.append(reason)
      case nil:
        state.withLock { $0.agents.removeAll { $0 == agent } }
        close(agent)
      }
    }
    guard isOpen else {
      throw ReloadFailure(message: "reload: " + (reasons.first ?? "the program has no agent"))
    }
  }

  /// A process has begun: it was built as the first one, and opens what the others have opened.
  private func add(_ agent: Int32) {
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    // SAFETY: the option is read during the call.
    _ = unsafe setsockopt(
      agent, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var opened = 0
    while let library = state.withLock({ state -> String? in
      if opened < state.libraries.count { return state.libraries[opened] }
      state.agents.append(agent)
      return nil
    }) {
      _ = Self.ask(agent, library)
      opened += 1
    }
  }

  /// Sends a line, and returns the answer; nil if the process has ended, or does not answer.
  private static func ask(_ agent: Int32, _ line: String) -> String? {
    let bytes = Array((line + "\n").utf8)
    // SAFETY: the buffers are as long as the system is told.
    guard unsafe send(agent, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      return nil
    }
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe recv(agent, &byte, 1, 0) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: answer, as: UTF8.self) }
      answer.append(byte)
    }
    return nil
  }

  private static func listen(at path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), descriptor >= 0 else {
      throw ReloadFailure(message: "reload: no socket at \(path); set TMPDIR to a shorter path")
    }
    // SAFETY: the path fits, and is followed by zero bytes; the address lives during the calls.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let isListening = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          && Glibc.listen(descriptor, 16) == 0
      }
    }
    guard isListening else {
      throw ReloadFailure(message: "reload: no socket at \(path); set TMPDIR to a folder with room")
    }
    return descriptor
  }
}
#endif
