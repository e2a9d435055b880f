/// Why C source did not become a program or a library.
public struct CompilerError: Error, CustomStringConvertible {
  /// What clang or the loader says.
  public let description: String

  /// Creates the error.
  public init(description: String) { self.description = description }
}
