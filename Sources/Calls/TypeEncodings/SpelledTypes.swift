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
  /// `const char *`; nil if it does not only list known types.
  private static func encoding(of text: String) -> String? {
    let parts = text.split { "(),;".contains($0) }.map(Self.words).filter { !$0.isEmpty }
    // A name alone is rather a wrong encoding; a pointer to a function has no such list.
    guard parts.contains(where: { code(of: $0) != nil }),
      !parts.contains(where: { $0.first == "*" })
    else { return nil }
    var encoding = ""
    for (index, part) in parts.enumerated() where part != ["..."] {
      if index > 0, part == ["void"] { continue }
      guard let code = type(part) else { return nil }
      encoding += code
    }
    return encoding
  }

  /// The words of one type, each star by itself.
  private static func words(_ part: Substring) -> [String] {
    part.replacing("*", with: " * ").split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The encoding of one type, which a name may follow.
  private static func type(_ words: [String]) -> String? {
    let stars = words.count { $0 == "*" }
    let isConstant = words.prefix { $0 != "*" }.contains("const")
    let plain = Array(words.prefix { $0 != "*" })
    guard stars > 0 else { return code(of: plain) }
    let code = code(of: plain) ?? "v"
    let isText = code == codes["char"]
    let pointers = String(repeating: "^", count: isText ? stars - 1 : stars)
    return pointers + (isConstant ? "r" : "") + (isText ? "*" : code)
  }

  /// The code of a type that is no pointer; nil if it is not known.
  private static func code(of words: [String]) -> String? {
    let words = words.filter { !["const", "volatile", "extern", "static", "*"].contains($0) }
    if let code = codes[words.joined(separator: " ")] { return code }
    // The last word may be the name of the function or of the argument.
    return words.count > 1 ? codes[words.dropLast().joined(separator: " ")] : nil
  }

  private static let codes = [
    "void": "v", "bool": "B", "_Bool": "B", "char": "\(CChar.typeEncoding)", "signed char": "c",
    "unsigned char": "C", "short": "s", "short int": "s", "unsigned short": "S",
    "unsigned short int": "S", "int": "i", "signed": "i", "signed int": "i", "unsigned": "I",
    "unsigned int": "I", "long": "q", "long int": "q", "long long": "q", "long long int": "q",
    "unsigned long": "Q", "unsigned long int": "Q", "unsigned long long": "Q", "float": "f",
    "double": "d", "long double": "D", "size_t": "Q", "ssize_t": "q", "off_t": "q", "time_t": "q",
    "pid_t": "i", "intptr_t": "q", "uintptr_t": "Q", "int8_t": "c", "uint8_t": "C", "int16_t": "s",
    "uint16_t": "S", "int32_t": "i", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "id": "@",
    "SEL": ":", "Class": "#", "Void": "v", "Bool": "B", "Int": "q", "UInt": "Q", "Int8": "c",
    "UInt8": "C", "Int16": "s", "UInt16": "S", "Int32": "i", "UInt32": "I", "Int64": "q",
    "UInt64": "Q", "Float": "f", "Double": "d", "String": "*",
  ]
}
