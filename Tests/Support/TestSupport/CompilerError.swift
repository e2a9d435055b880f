/// The reason why a program or a library could not be compiled or loaded.
public struct CompilerError: Error, CustomStringConvertible {
  /// The message of clang or of the loader.
  public let description: String

  /// Creates the error.
  public init(description: String) { self.description = description }
}
