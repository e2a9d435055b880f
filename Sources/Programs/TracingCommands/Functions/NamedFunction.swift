import BlockRuntimeSuggestions
package import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// A C function to trace, as the command line names it: by its name alone if its signature is
/// known, else by its declaration, or by its name, `=` and its type encoding.
package struct NamedFunction: Hashable {
  /// The function's name.
  package let name: String

  /// The function's type encoding.
  package let signature: String

  /// Parses an argument of the command line.
  ///
  /// - Parameter text: The argument.
  /// - Throws: `unknownFunction`, or why the encoding is not a function's.
  package init(_ text: String) throws(Failure) {
    guard !CDeclaration.isWritten(String(text.prefix { $0 != "=" })) else {
      (name, signature) = try Self.declared(text)
      return
    }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    guard !name.isEmpty else {
      throw Failure(
        code: "unknownFunction",
        message: "--function '\(text)' has no name; name a function, such as getaddrinfo")
    }
    guard parts.count > 1 else {
      guard let known = KnownFunctions.signatures[name] else { throw Self.unknown(name) }
      signature = known
      return
    }
    signature = String(parts[1])
    do throws(InvocationError) {
      _ = try CallInterface.of(signature)
    } catch {
      let example = KnownFunctions.signatures[name].map { "\(name)=\($0)" } ?? "getenv=*r*"
      throw Failure(
        code: error.code.rawValue,
        message:
          "the signature of --function '\(text)': \(error.message); give a type encoding, as "
          + "in --function '\(example)'")
    }
  }

  /// The name and the type encoding of a function that is declared in C.
  ///
  /// - Throws: Why there is none, or `unsupportedDeclaration` for a variadic function.
  static func declared(_ text: String) throws(Failure) -> (name: String, signature: String) {
    let function = try Failure.catching(input: text) { try CDeclaration.function(text) }
    guard function.fixedCount == nil else {
      throw Failure(
        code: "unsupportedDeclaration",
        message:
          "what \(function.name) is passed in place of ... is not known, and may not arrive; "
          + "declare all arguments that the program's calls pass")
    }
    try Failure.catching(input: text) { try CallInterface.cached(for: function.signature) }
    return (function.name, function.signature.description)
  }

  private static func unknown(_ name: String) -> Failure {
    let names = KnownFunctions.signatures.keys.sorted()
    let guess = Suggestion.nearest(to: name, in: names).map { "; did you mean \($0)?" } ?? ";"
    let mark = guess.hasSuffix("?") ? " If not," : ""
    return Failure(
      code: "unknownFunction",
      message: "no signature is known of \(name)\(guess)\(mark) give it behind the name, as in "
        + "--function '\(name)=*r*', which is that of getenv")
  }

  /// The function in the settings of the tracer.
  var setting: String { "\(name)=\(signature)" }
}
