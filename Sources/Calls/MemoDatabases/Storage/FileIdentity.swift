#if Database
internal import BlockRuntimeThreads
internal import CallMemoization
private import Foundation
internal import GRDB
private import GRDBSQLite
private import Glibc

/// The identity of the file that has been opened: each connection opens the path anew, and must
/// find the same file there.
final class FileIdentity: Sendable {
  /// The number of a file, which no other file has while a connection has it open.
  private struct Number: Equatable {
    let device: dev_t
    let file: ino_t
  }

  /// The file's path, which is absolute.
  let path: String

  private let number = Locked<Number?>(nil)

  /// Creates the file, unless there is one, with access for its owner only, which SQLite copies to
  /// the files beside it.
  ///
  /// - Throws: `databaseFailed` for a text that is no path of a file.
  init(_ path: String) throws(MemoizationError) {
    // SQLite gives such names other meanings.
    guard !path.isEmpty, !path.hasPrefix(":"), !path.hasPrefix("file:"), !path.utf8.contains(0)
    else {
      throw MemoizationError(
        .databaseFailed, "\(path.debugDescription) is no path of a file; give one", subject: path)
    }
    self.path =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    // Each hard link would have a log of its own, and bytes written to a device cannot be read
    // again.
    if let status = Self.status(self.path) {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw MemoizationError(
          .databaseFailed, "\(path) is no regular file; give another path", subject: path)
      }
      guard status.st_nlink < 2 else {
        throw MemoizationError(
          .databaseFailed,
          "\(path) has another name, a hard link, by which others might open it; copy the file, or "
            + "remove the other name", subject: path)
      }
    }
    // The file is made without opening it: closing it would release the locks that SQLite has on it
    // in this process.
    // SAFETY: the path is a C string for the time of the call.
    if Self.number(self.path) == nil, unsafe mknod(self.path, S_IFREG | 0o600, 0) != 0,
      errno == EEXIST, Self.number(self.path) == nil
    {
      throw MemoizationError(
        .databaseFailed, "\(path) is a symbolic link to nothing; give another path",
        subject: path)
    }
  }

  /// Checks that a new connection has opened the file of the first one.
  ///
  /// - Throws: `databaseFailed` if it is another one.
  func check(_ database: Database) throws {
    let before = Self.number(path)
    var hasMoved: CInt = 0
    // SAFETY: the connection is open, and the operation writes an integer.
    let code = unsafe sqlite3_file_control(
      database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    let isSame = number.withLock { number in
      if number == nil { number = before }
      return number == before
    }
    guard code == SQLITE_OK, hasMoved == 0, let before, isSame, Self.number(path) == before else {
      throw MemoizationError(
        .databaseFailed,
        "\(path): another file is there than the one that was opened, or none; open it anew",
        subject: path)
    }
  }

  private static func number(_ path: String) -> Number? {
    status(path).map { Number(device: $0.st_dev, file: $0.st_ino) }
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    // SAFETY: the path is a C string for the time of the call, and the structure is written within
    // its bounds.
    return unsafe stat(path, &status) == 0 ? status : nil
  }
}
#endif
