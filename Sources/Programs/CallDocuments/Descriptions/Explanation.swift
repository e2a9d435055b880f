#if Everything
import CommandOptionsAndResults

/// A description that a command prints: of a type or a signature.
protocol Explanation {
  var json: JSONValue { get }

  /// The explanation as a table with notes.
  func report(style: TextStyle) -> String
}

extension TypeDescription: Explanation {}
extension SignatureDescription: Explanation {}

extension OutputOptions {
  /// Writes an explanation of an input, or why there is none.
  func explain(_ input: String, _ make: () throws -> some Explanation) throws {
    let made = try reporting { () throws(Failure) in try Failure.catching(input: input, make) }
    write(made.json, or: made.report(style: .forStandardOutput))
  }
}
#endif
