import Foundation

/// The functions of the tests that may skip: they throw `XCTSkip`, or call one that does.
struct SkippingFunctions {
  /// A source file of tests.
  struct File {
    let path: String
    let text: String

    /// The functions in it, tests among them.
    let functions: [Function]
  }

  /// A function or initializer.
  struct Function {
    /// What calls name: an initializer's is its type.
    let name: String
    let isPrivate: Bool
    let body: Substring
  }

  /// The files that were read.
  let files: [File]

  /// Names of functions that may skip, by the file they are known in; "" stands for all files.
  private var names: [String: Set<String>] = [:]

  /// Reads all tests of some folders.
  ///
  /// - Parameter folders: Their paths from the package's root.
  /// - Throws: What the file system does.
  init(in folders: [String]) throws {
    files = try folders.flatMap { try Self.files(in: $0) }
    var isComplete = false
    while !isComplete {
      isComplete = true
      for file in files {
        for function in file.functions where !function.name.hasPrefix("test") {
          let place = function.isPrivate ? file.path : ""
          if names[place, default: []].contains(function.name) { continue }
          guard function.body.contains("XCTSkip") || calls(in: function.body, of: file) != nil
          else { continue }
          names[place, default: []].insert(function.name)
          isComplete = false
        }
      }
    }
  }

  /// The first function that may skip, and is called with `try` in a text; nil if there is none.
  private func calls(in text: Substring, of file: File) -> String? {
    let known = names["", default: []].union(names[file.path, default: []])
    for line in text.split(separator: "\n") {
      for attempt in line.ranges(of: "try ") {
        for call in line[attempt.upperBound...].matches(of: /(\w+)\(/)
        where known.contains(String(call.output.1)) {
          return String(call.output.1)
        }
      }
    }
    return nil
  }

  /// The assertions whose arguments may skip: XCTest counts a skip there as an error.
  ///
  /// - Returns: For each a line that says where it is, and what it calls.
  func assertionsThatHideSkips() -> [String] {
    files.flatMap { file in
      file.text.matches(of: /\bXCTAssert\w*\(/).compactMap { match in
        let arguments = Self.balanced(file.text[match.range.upperBound...], "(", ")")
        guard let name = calls(in: arguments, of: file) else { return nil }
        let line = file.text[..<match.range.lowerBound].count { $0 == "\n" } + 1
        return "\(file.path):\(line): \(name) may skip: call it before the assertion"
      }
    }
  }

  private static func files(in folder: String) throws -> [File] {
    try Sources.files(in: folder, ending: ".swift").map { path in
      let text = try String(
        contentsOf: Sources.root.appendingPathComponent(path), encoding: .utf8)
      return File(path: path, text: text, functions: functions(in: text))
    }
  }

  private static func functions(in text: String) -> [Function] {
    var type = ""
    return text.matches(
      of: /(private )?(?:static )?(?:(?:struct|class|enum|extension|actor) (\w+)|func (\w+)|init)\b/
    ).compactMap { match in
      if let name = match.output.2 {
        type = String(name)
        return nil
      }
      guard let begin = text[match.range.upperBound...].firstIndex(of: "{") else { return nil }
      return Function(
        name: match.output.3.map(String.init) ?? type, isPrivate: match.output.1 != nil,
        body: balanced(text[text.index(after: begin)...], "{", "}"))
    }
  }

  /// The text up to the bracket that closes one before it.
  private static func balanced(
    _ text: Substring, _ open: Character, _ close: Character
  ) -> Substring {
    var depth = 1
    return text.prefix { character in
      if character == open { depth += 1 } else if character == close { depth -= 1 }
      return depth > 0
    }
  }
}
