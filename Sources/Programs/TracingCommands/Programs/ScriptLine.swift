/// The first line of a script, `#!interpreter argument`, as the kernel reads it.
struct ScriptLine {
  /// The path of the interpreter.
  let interpreter: String

  /// The rest of the line, nil if there is none.
  let argument: String?

  /// The number of bytes of a file that the kernel reads.
  static let byteLimit: UInt64 = 256

  /// Parses the first bytes of a file; nil if it is not a script that the kernel would start.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: "#!".utf8) else { return nil }
    let end = bytes.firstIndex { $0 == UInt8(ascii: "\n") || $0 == 0 }
    let line = bytes[2..<(end ?? bytes.count)].drop(while: Self.isBlank)
    let path = line.prefix { !Self.isBlank($0) }
    // A path that does not end within the limit would be truncated to another path.
    let isCut = end == nil && path.endIndex == bytes.count && bytes.count == Int(Self.byteLimit)
    guard !path.isEmpty, !isCut else { return nil }
    interpreter = String(decoding: path, as: UTF8.self)
    let rest = String(decoding: line[path.endIndex...].drop(while: Self.isBlank), as: UTF8.self)
    argument = rest.isEmpty ? nil : rest
  }

  /// The program that an `env` in the line looks up; nil if there is no `env`.
  var programOfEnv: String? {
    guard interpreter.hasSuffix("/env"), let argument else { return nil }
    var words = argument.split { $0 == " " || $0 == "\t" }[...]
    // Without -S, `env` gets the rest of the line as one word.
    guard words.first == "-S" else { return argument.hasPrefix("-") ? nil : argument }
    words = words.dropFirst().drop { $0.contains("=") }
    guard let name = words.first, !name.hasPrefix("-") else { return nil }
    return String(name)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
