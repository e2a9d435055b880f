import CommandOptionsAndResults
import Glibc

/// A socket in a trace's directory, by which its tracing command is asked.
///
/// The directory's descriptor stands for its path, which may have more bytes than a socket's
/// address.
struct TellSocket {
  private static let name = "tell"

  /// The most seconds that one side waits for what the other one writes at once.
  private static let patience = 2

  let descriptor: Int32

  /// Makes a socket that listens in a directory; nil if that is not possible there.
  init?(listeningIn directory: String) {
    // SAFETY: the path is null-terminated, and the address valid, for the calls.
    let opened = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if opened >= 0 { Glibc.close(opened) } }
    unsafe self.init(in: opened) { socket, address, length in
      unsafe bind(socket, address, length) == 0 && listen(socket, 16) == 0
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Connects to the socket in a directory; nil if none listens there.
  ///
  /// - Parameter directory: A descriptor of the directory.
  init?(connectingIn directory: Int32) {
    // SAFETY: the address is valid for the call.
    unsafe self.init(in: directory) { unsafe connect($0, $1, $2) == 0 }
  }

  private init?(
    in directory: Int32, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) {
    guard directory >= 0 else { return nil }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    limit(SO_SNDTIMEO, seconds: Self.patience)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("/proc/self/fd/\(directory)/\(Self.name)".utf8)
    // SAFETY: the path is shorter than the address's 108 bytes, whose rest is zero.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let isUsed = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isUsed else {
      Glibc.close(descriptor)
      return nil
    }
  }

  private init(accepted: Int32) { descriptor = accepted }

  /// The next connection of the same user, or of root; nil if there is none.
  func accept() -> TellSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    let socket = TellSocket(accepted: accepted)
    guard let user = socket.peer?.user, user == geteuid() || user == 0 else {
      socket.close()
      return nil
    }
    socket.limit(SO_RCVTIMEO, seconds: 1)
    socket.limit(SO_SNDTIMEO, seconds: Self.patience)
    return socket
  }

  /// A process, as the kernel tells of it.
  struct Peer {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0
  }

  /// The process on the other side.
  var peer: Peer? {
    // It has the layout of `ucred`.
    var peer = Peer()
    var length = socklen_t(MemoryLayout<Peer>.size)
    // SAFETY: the length is that of the variable.
    let error = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length)
    return error == 0 ? peer : nil
  }

  /// Ends reading or writing that lasts longer.
  func limit(_ option: Int32, seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    // SAFETY: the length is that of the variable.
    unsafe setsockopt(
      descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Reads up to the other side's end of writing.
  ///
  /// - Parameters:
  ///   - limit: The most bytes.
  ///   - seconds: The most seconds in all, besides one time without an answer.
  /// - Returns: The text; nil if the end does not come.
  func readAll(limit: Int = .max, seconds: Int = .max) -> String? {
    let start = time(nil)
    var all: [UInt8] = []
    while all.count <= limit, time(nil) - start < seconds,
      let bytes = FileDescriptor.read(descriptor)
    {
      if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += bytes
    }
    return nil
  }

  /// Writes a text, and ends writing.
  ///
  /// - Returns: False if the other side has gone.
  func write(_ text: String) -> Bool {
    let isWritten = FileDescriptor.write(Array(text.utf8), to: descriptor)
    shutdown(descriptor, Int32(SHUT_WR))
    return isWritten
  }

  func close() { Glibc.close(descriptor) }
}
