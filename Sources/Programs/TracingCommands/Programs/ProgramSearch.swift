import CommandOptionsAndResults
import Glibc

/// Looks programs up as `execvp` does.
enum ProgramSearch {
  /// Finds the file that a name runs: the path if it has a slash, otherwise on the search path.
  ///
  /// - Throws: `programNotFound`, `programNotExecutable`.
  static func path(of name: String, on searchPath: String) throws(Failure) -> String {
    guard !name.isEmpty else {
      throw Failure(code: "programNotFound", message: "the program's name is empty; give a name")
    }
    guard !name.contains("/") else {
      try check(name)
      return name
    }
    var denied: String?
    for directory in searchPath.split(separator: ":", omittingEmptySubsequences: false) {
      let path = directory.isEmpty ? "./\(name)" : "\(directory)/\(name)"
      switch access(to: path) {
      case .executable: return path
      case .denied, .directory: denied = denied ?? path
      case .missing: continue
      }
    }
    if let denied { try check(denied) }
    throw Failure(
      code: "programNotFound",
      message:
        "there is no program \(name) on PATH; check the name, or give a path, such as ./\(name)")
  }

  /// Checks that a path names a file that may be executed.
  ///
  /// - Throws: `programNotFound`, `programNotExecutable`.
  static func check(_ path: String) throws(Failure) {
    switch access(to: path) {
    case .executable: return
    case .missing:
      throw Failure(
        code: "programNotFound", message: "there is no file \(path); check the path")
    case .directory:
      throw Failure(
        code: "programNotExecutable", message: "\(path) is a directory; name a program in it")
    case .denied:
      throw Failure(
        code: "programNotExecutable",
        message: "\(path) may not be executed; allow it with chmod +x, or name another program")
    }
  }

  private enum Access {
    case executable, denied, directory, missing
  }

  private static func access(to path: String) -> Access {
    var status = stat()
    // SAFETY: the path is a C string, and the status a local variable, for the duration of the
    // calls.
    guard unsafe stat(path, &status) == 0 else { return errno == EACCES ? .denied : .missing }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .directory
    case S_IFREG: return unsafe Glibc.access(path, X_OK) == 0 ? .executable : .denied
    default: return .denied
    }
  }
}
