/// Texts that people write in place of encodings: the types as C and Swift name them.
enum SpelledTypes {
  /// The error of a text that cannot be parsed, with the encoding that its types have.
  ///
  /// - Parameters:
  ///   - error: The error of parsing the text.
  ///   - text: The text.
  /// - Returns: The error; `error` itself if the text does not list types by their names.
  static func explained(_ error: TypeEncodingError, _ text: String) -> TypeEncodingError {
    guard text.utf8.count <= 200, let encoding = encoding(of: text) else { return error }
    return TypeEncodingError(
      code: error.code,
      message: "\(error.message); an encoding has a code for each type, the result first: write "
        + "\(encoding) for \(text)", input: text, offset: error.offset)
  }

  /// The encoding of a text such as `double, double`, `double pow(double, double)` or
  /// `const char *`; nil if it is no declaration of known types.
  private static func encoding(of text: String) -> String? {
    let parts = text.split(separator: ",", maxSplits: 1)
    // A list without parentheses begins with the result.
    let isList = parts.count == 2 && !parts[0].contains("(")
    let declaration = isList ? "\(parts[0]) (\(parts[1]))" : text
    guard let declared = try? CDeclaration(declaration, types: swiftTypes) else { return nil }
    if let signature = declared.signature { return signature.description }
    return isList ? nil : declared.encoding.description
  }

  private static let swiftTypes: [Any.Type] = [
    Bool.self, Int.self, UInt.self, Int8.self, UInt8.self, Int16.self, UInt16.self, Int32.self,
    UInt32.self, Int64.self, UInt64.self, Float.self, Double.self,
  ]
}
