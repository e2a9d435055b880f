private import BlockRuntimeErrors
private import CCallTracing.TraceStream
private import Glibc

/// The directory in which the programs of one run create their streams.
///
/// They have its path in their environment. It is the same in every run, unless others go on: build
/// systems do all their work again in another environment. The directory is this run's while its
/// process has a lock on it; and as long as programs of an earlier run live, which would give its
/// path to those that they start, it is no other's.
package final class TraceDirectory {
  /// Its path.
  package let path: String

  /// The descriptor with the lock.
  private let file: Int32

  private static let limit = 1000

  /// What the directories' names begin with.
  private static let name = "hook-demo-trace-"

  /// Takes the first directory that is free, and makes it if there is none.
  ///
  /// - Parameter parent: The directory that contains it.
  /// - Throws: `outputUnavailable`.
  package init(in parent: String) throws(TraceError) {
    let parent = Self.absolute(parent)
    for number in 0..<Self.limit {
      let path = "\(parent)/\(Self.name)\(geteuid()).\(number)"
      guard let file = try Self.take(path) else { continue }
      self.path = path
      self.file = file
      return
    }
    throw TraceError(
      .outputUnavailable,
      "all directories \(parent)/hook-demo-trace-\(geteuid()).* are in use; set TMPDIR to another one"
    )
  }

  deinit { close(file) }

  /// A path that is the same in programs which begin elsewhere.
  private static func absolute(_ path: String) -> String {
    // SAFETY: the call allocates the text, which is freed.
    guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(current) }
    return unsafe "\(String(cString: current))/\(path)"
  }

  /// Removes the directory, unless programs are left that can write to their streams.
  package func remove() {
    // SAFETY: the path is null-terminated for the duration of the call.
    unsafe rmdir(path)
  }

  /// Locks a directory, and removes what a killed process left in it; nil if it is not free.
  private static func take(_ path: String) throws(TraceError) -> Int32? {
    // SAFETY: the path is null-terminated for the duration of the calls; the status is a variable.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      let reason = SystemError.text(errno)
      throw TraceError(
        .outputUnavailable, "no directory \(path): \(reason); set TMPDIR to where there is room")
    }
    let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    var status = stat()
    // Others may make a directory of this name; a process that ends may have removed this one.
    guard unsafe fstat(file, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
      flock(file, LOCK_EX | LOCK_NB) == 0, unsafe fstat(file, &status) == 0, status.st_nlink > 0,
      removeFiles(in: path)
    else {
      close(file)
      return nil
    }
    return file
  }

  /// Whether a process collects the streams of a directory.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - whereHidden: The answer where the directory cannot be opened, as by a program that has
  ///     changed its root directory, or has no descriptor left.
  /// - Returns: Whether one does.
  package static func isCollected(_ path: String, whereHidden: Bool = false) -> Bool {
    // SAFETY: the path is null-terminated for the duration of the call.
    let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return whereHidden || errno == EACCES }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0
  }

  /// The directory of a trace whose stream or switch has a path; nil if it is another file's.
  package static func directory(ofFile path: String) -> String? {
    guard path.hasSuffix(".trace") || path.hasSuffix("/\(TraceSwitch.name)"),
      let end = path.lastIndex(of: "/"), let start = path[..<end].lastIndex(of: "/"),
      path[path.index(after: start)...].hasPrefix(name)
    else { return nil }
    return String(path[..<end])
  }

  /// The files of a directory whose names have an ending.
  package static func files(in directory: String, endingWith ending: String) -> [String] {
    // SAFETY: the path is null-terminated; an entry is valid until the next one is read.
    guard let listing = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(listing) }
    var paths: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if name.hasSuffix(ending), name != ".", name != ".." { paths.append("\(directory)/\(name)") }
    }
    return paths
  }

  /// Removes the files of a directory but for streams that programs can still write to.
  ///
  /// - Returns: Whether none is left.
  @discardableResult
  static func removeFiles(in directory: String) -> Bool {
    // SAFETY: the path is null-terminated for the duration of the calls.
    let rest = files(in: directory, endingWith: "").filter { path in
      unsafe cbr_trace_stream_has_writer(path) || unlink(path) != 0
    }
    return rest.isEmpty
  }
}
