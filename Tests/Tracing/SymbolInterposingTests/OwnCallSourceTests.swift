import Foundation
import TestSupport
import XCTest

/// The library's C, read as text: each function that calls one which can be hooked makes the call
/// its own (`CBROwnCalls.h`) before it does.
final class OwnCallSourceTests: XCTestCase {
  /// Functions that cannot be hooked (`ReservedFunctions`), or after which nothing is left to be
  /// hooked.
  private static let harmless: Set = [
    "memcpy", "memset", "memcmp", "strlen", "strcmp", "abort",
    "_Unwind_GetIP", "_Unwind_GetGR",
  ]

  /// Calls that run the user's code, which is hooked as ever.
  private static let users: Set = [
    "_Block_release", "dlclose", "cbr_call_through",
    // What a program that contains the tracer begins with.
    "__real___libc_start_main", "program", "startStaticTracing",
  ]

  /// What looks like a call and is none.
  private static let words: Set = [
    "if", "for", "while", "switch", "return", "sizeof", "offsetof", "ElfW", "_Static_assert",
    "__attribute__", "volatile", "__get_cpuid", "__get_cpuid_count",
  ]

  private struct Function {
    let name: String
    let body: String
    let isStatic: Bool
  }

  private static let root = PackageFiles.root.appendingPathComponent("Sources")

  /// The library's files, by their paths below `Sources`.
  private func sources() throws -> [(name: String, text: String)] {
    let files = FileManager.default.enumerator(atPath: Self.root.path)?.compactMap { $0 as? String }
    let others = ["Programs/"]
    return try (files ?? []).filter { file in
      file.hasSuffix(".c") && !others.contains(where: file.hasPrefix)
    }.sorted().map { file in
      let path = Self.root.appendingPathComponent(file).path
      return (file, try String(contentsOfFile: path, encoding: .utf8))
    }
  }

  /// A text without comments, directives and what stands in quotes.
  private func code(_ text: String) -> String {
    let patterns = [
      #"//[^\n]*"#, #"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)"#,
      #"(?m)^\s*#(?:[^\n]*\\\n)*[^\n]*"#, #""(?:\\.|[^"\\])*""#, #"'.[^']*'"#,
    ]
    return patterns.reduce(text) {
      $0.replacingOccurrences(of: $1, with: " ", options: .regularExpression)
    }
  }

  /// The functions of a file: what stands in braces behind parentheses, outside of other braces.
  private func functions(in code: String) -> [Function] {
    var functions: [Function] = []
    var depth = 0
    var head = ""
    var body = ""
    for character in code {
      switch character {
      case "{":
        if depth > 0 { body.append(character) }
        depth += 1
      case "}":
        depth -= 1
        if depth > 0 { body.append(character) }
        if depth == 0 {
          let name = head.range(of: #"\w+\s*\((?s:.)*\)\s*$"#, options: .regularExpression)
          let first = name.map { head[$0].prefix { $0.isLetter || $0.isNumber || $0 == "_" } }
          if let first, !first.isEmpty {
            functions.append(
              Function(name: String(first), body: body, isStatic: head.contains("static")))
          }
          (head, body) = ("", "")
        }
      case ";" where depth == 0: head = ""
      default: if depth > 0 { body.append(character) } else { head.append(character) }
      }
    }
    return functions
  }

  /// The functions that a text calls by their names, and those it names.
  private func words(in text: Substring, calledOnly: Bool) -> Set<String> {
    let pattern = calledOnly ? #"(?<![\w.>])[A-Za-z_]\w*(?=\s*\()"# : #"(?<![\w.>])[A-Za-z_]\w*"#
    var found: Set<String> = []
    var rest = text
    while let range = rest.range(of: pattern, options: .regularExpression) {
      found.insert(String(rest[range]))
      rest = rest[range.upperBound...]
    }
    return found
  }

  /// What a text does before it makes its calls its own.
  private func unguarded(_ body: String) -> Substring {
    body.range(of: "OWN_CALLS|cbr_begin_ignoring", options: .regularExpression).map {
      body[..<$0.lowerBound]
    } ?? body[...]
  }

  func testEachCallOfAFunctionThatCanBeHookedIsTheLibrarysOwn() throws {
    var checked = 0
    for (file, text) in try sources() {
      let code = code(text)
      let functions = functions(in: code)
      let own = Set(functions.map(\.name))
      // Calls through pointers: handlers, originals and closures of the caller's.
      let pointers = words(in: code[...], calledOnly: false).filter {
        code.contains("(*\($0))") || code.contains("(*_Nonnull \($0))")
          || code.contains("destructor *\($0)")
      }
      func isForeign(_ name: String) -> Bool {
        !own.contains(name) && !pointers.contains(name) && !Self.words.contains(name)
          && !Self.harmless.contains(name) && !Self.users.contains(name)
          && !["cbr_", "__atomic", "__builtin", "atomic_", "swift_"].contains(where: name.hasPrefix)
          && name != name.uppercased()
      }
      // Static functions that make foreign calls may only be named where calls are own already.
      var needsScope: Set<String> = []
      while true {
        let more = functions.filter { function in
          let unguarded = unguarded(function.body)
          return words(in: unguarded, calledOnly: true).contains(where: isForeign)
            || !words(in: unguarded, calledOnly: false).isDisjoint(with: needsScope)
        }
        if Set(more.map(\.name)) == needsScope { break }
        needsScope.formUnion(more.map(\.name))
      }
      // The system calls some by itself, long after they were named.
      let started = functions.flatMap { function in
        ["pthread_atfork", "pthread_key_create", "pthread_create"].flatMap { starter in
          function.body.components(separatedBy: "\(starter)(").dropFirst().flatMap {
            words(in: $0.prefix { $0 != ")" }, calledOnly: false)
          }
        }
      }
      XCTAssertEqual(
        needsScope.intersection(started), [], "\(file): the system calls them without OWN_CALLS")
      checked += functions.count
      for function in functions where needsScope.contains(function.name) {
        let isReached = functions.contains {
          words(in: $0.body[...], calledOnly: false).contains(function.name)
        }
        XCTAssertTrue(
          function.isStatic && isReached,
          "\(file): \(function.name) calls what can be hooked without OWN_CALLS")
      }
    }
    XCTAssertGreaterThan(checked, 150)
  }
}
