package import CommandOptionsAndResults
import Glibc
import Invocations
import TypeEncodings

/// A C function to trace, as the command line names it: by its name alone if its signature is
/// known, else by its declaration, or by its name, `=` and its type encoding.
package struct NamedFunction: Hashable {
  /// The function's name.
  package let name: String

  /// The function's type encoding.
  package let signature: String

  /// Whether calls pass more arguments than the encoding lists.
  private let isVariadic: Bool

  /// Creates a function with a type encoding.
  ///
  /// - Throws: Why calls of such functions cannot be hooked; the input is what the user wrote.
  init(
    _ name: String, signature: String, isVariadic: Bool = false, input: String? = nil
  ) throws(Failure) {
    try Failure.catching(input: input) { try CallInterface.of(signature) }
    (self.name, self.signature, self.isVariadic) = (name, signature, isVariadic)
  }

  /// Parses an argument of the command line.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The function; for the name of a known one, those of its other names too that the C
  ///   library has here.
  /// - Throws: `unknownFunction`, or why the encoding is not a function's.
  package static func all(_ text: String) throws(Failure) -> [NamedFunction] {
    guard !CDeclaration.isWritten(String(text.prefix { $0 != "=" })) else {
      return [try declared(text)]
    }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard !name.isEmpty else {
      throw Failure(
        code: "unknownFunction",
        message: "--function '\(text)' has no name; name a function, such as getaddrinfo")
    }
    guard parts.count > 1 else { return try known(name) }
    do throws(Failure) {
      return [try NamedFunction(name, signature: String(parts[1]))]
    } catch {
      let example = (try? known(name).first).map { "\(name)=\($0.signature)" } ?? "getenv=*r*"
      throw Failure(
        code: error.code,
        message:
          "the signature of --function '\(text)': \(error.message); give a type encoding, as "
          + "in --function '\(example)'")
    }
  }

  /// The functions by which programs call one of the C library.
  ///
  /// - Throws: `unknownFunction`.
  static func known(_ name: String) throws(Failure) -> [NamedFunction] {
    let names = KnownFunctions.aliases(of: name)
    let others = names.dropFirst().filter {
      // SAFETY: the name is null-terminated for the call, which only looks it up.
      unsafe dlsym(nil, $0) != nil
    }
    return try ([name] + others).map { (name) throws(Failure) in
      let text = try Failure.catching {
        try KnownFunctions.declaration(of: name, asProgramsCall: true)
      }
      return try declared(text)
    }
  }

  /// A function that is declared in C.
  ///
  /// - Throws: Why there is none, or why its calls cannot be hooked.
  static func declared(_ text: String) throws(Failure) -> NamedFunction {
    let function = try Failure.catching(input: text) { try CDeclaration.hookedFunction(text) }
    let interface = function.interface
    return try NamedFunction(
      function.name, signature: interface.signature.description, isVariadic: interface.isVariadic,
      input: text)
  }

  /// What is to be said of a signature that leaves out arguments of a known function; nil if it
  /// leaves out none.
  var warning: String? {
    guard !isVariadic, let known = try? Self.known(name).first?.signature,
      let all = try? CallInterface.of(known).argumentCount,
      let listed = try? CallInterface.of(signature).argumentCount, listed < all
    else { return nil }
    return
      "the signature \(signature) lists \(listed) of the \(all) arguments of \(name), which may "
      + "not get the others; the one of the C library's function is \(known)"
  }

  /// The function in the settings of the tracer.
  var setting: String { "\(name)=\(signature)\(isVariadic ? "..." : "")" }
}
