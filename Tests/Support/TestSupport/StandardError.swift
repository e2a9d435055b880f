import Foundation

/// What a closure writes to standard error, which is less than a pipe holds.
///
/// - Parameter body: The closure.
/// - Returns: The text.
/// - Throws: What the closure throws.
public func standardError(_ body: () throws -> Void) throws -> String {
  let pipe = Pipe()
  let saved = dup(STDERR_FILENO)
  dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
  defer { close(saved) }
  let result = Result { try body() }
  dup2(saved, STDERR_FILENO)
  pipe.fileHandleForWriting.closeFile()
  try result.get()
  return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
}
