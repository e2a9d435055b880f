import Foundation
import XCTest

/// The documents name tests, types of the library and products that there are.
final class NamedTestTests: XCTestCase {
  func testEveryTestThatADocumentNamesExists() throws {
    let tests = try TestNames()
    var count = 0
    for document in Sources.allDocuments {
      try Sources.forEachLine(of: document) { line, number in
        var lastClass = ""
        for name in Self.names(in: Self.withoutOrigin(line)) {
          let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
          if name.hasPrefix("…test") {
            count += 1
            XCTAssertTrue(
              tests.has(String(name.dropFirst()), in: lastClass),
              "\(document):\(number): \(lastClass) has no \(name)")
          } else if let first = parts.first, first.hasSuffix("Tests"), Self.isIdentifier(first) {
            lastClass = first
            count += 1
            XCTAssertTrue(
              parts.count == 2 ? tests.has(parts[1], in: lastClass) : tests.hasClass(lastClass),
              "\(document):\(number): there is no \(name)")
          }
        }
      }
    }
    XCTAssertGreaterThan(count, 500)
  }

  func testEveryTypeThatDocsNameExists() throws {
    let words = try Set(
      ["Sources", "Tests", "Tools"].flatMap { folder in
        [".swift", ".c", ".h", ".S"].flatMap { Sources.files(in: folder, ending: $0) }
      }.flatMap { path in try Self.words(of: path) })
    var count = 0
    for document in Sources.files(in: "Docs", ending: ".md")
    where !document.hasSuffix("Conformance.md") && !document.hasSuffix("Performance.md") {
      try Sources.forEachLine(of: document) { line, number in
        for name in Self.names(in: line)
        where Self.isIdentifier(name) && name.first?.isUppercase == true {
          count += 1
          XCTAssertTrue(words.contains(name), "\(document):\(number): there is no \(name)")
        }
      }
    }
    XCTAssertGreaterThan(count, 300)
  }

  // MARK: - Reading

  /// A line; of a row of a table, what stands behind its first cell, which says from whose tests a
  /// scenario comes.
  private static func withoutOrigin(_ line: Substring) -> Substring {
    guard line.hasPrefix("| "), let end = line.dropFirst(2).firstRange(of: " | ") else {
      return line
    }
    return line[end.upperBound...]
  }

  /// The texts in backquotes.
  private static func names(in line: Substring) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }

  private static func isIdentifier(_ text: String) -> Bool {
    text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  private static func words(of path: String) throws -> [String] {
    let text = try String(contentsOf: Sources.root.appendingPathComponent(path), encoding: .utf8)
    let file = path.split(separator: "/").flatMap { $0.split { ".+".contains($0) } }
    return (text.split { !($0.isLetter || $0.isNumber || $0 == "_") } + file).map(String.init)
  }
}

/// The tests of the package and of its examples, by their classes.
private struct TestNames {
  private var byClass: [String: Set<String>] = [:]

  init() throws {
    for folder in ["Tests", "Examples"] {
      for path in Sources.files(in: folder, ending: ".swift") where path.contains("Tests/") {
        var name = ""
        try Sources.forEachLine(of: path) { line, _ in
          if let last = line.firstMatch(of: /^(?:[@\w]+ )*(?:class|extension) (\w+)/) {
            name = String(last.1)
            byClass[name, default: []].formUnion([])
          } else if let test = line.firstMatch(of: /\bfunc (test\w+)/) {
            byClass[name, default: []].insert(String(test.1))
          }
        }
        // The folder is the name of a test target.
        for part in path.split(separator: "/") where part.hasSuffix("Tests") {
          byClass[String(part), default: []].formUnion([])
        }
      }
    }
  }

  func hasClass(_ name: String) -> Bool { byClass[name] != nil }

  func has(_ test: String, in name: String) -> Bool { byClass[name]?.contains(test) ?? false }
}
