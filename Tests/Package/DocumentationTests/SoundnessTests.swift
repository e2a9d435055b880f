import Foundation
import TestSupport
import XCTest

/// The page about soundness lists every promise that the compiler does not check.
final class SoundnessTests: XCTestCase {
  private static let markers = ["@unchecked Sendable", "nonisolated(unsafe)", "@_transparent"]

  /// The occurrences of a marker in one file.
  private struct Occurrences {
    /// For each occurrence, the lines of its declaration.
    var declarations: [Substring] = []

    init(of marker: String, in text: String) {
      // Most files have none.
      guard text.contains(marker) else { return }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() where Self.isCode(line) && line.contains(marker) {
        // A declaration begins above a marker at its end, and below an attribute.
        let first = lines[max(index - 1, 0)]
        let last = lines[min(index + 2, lines.count - 1)]
        declarations.append(text[first.startIndex..<last.endIndex])
      }
    }

    private static func isCode(_ line: Substring) -> Bool {
      !line.drop { $0 == " " }.hasPrefix("//")
    }
  }

  /// What a section of the page says of one file, in all of its tables.
  private struct Entry {
    var count = 0
    var symbols: Set<String> = []
  }

  /// A section of the page: the text that follows its heading.
  private func section(of marker: String) throws -> [Substring] {
    let page = try String(
      contentsOf: Sources.root.appendingPathComponent("Docs/Soundness.md"), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let heading = try XCTUnwrap(lines.firstIndex(of: "## `\(marker)`"), "no section: \(marker)")
    return Array(lines[(heading + 1)...].prefix { !$0.hasPrefix("## ") })
  }

  /// The rows of a section's tables, by the path of the file.
  private func entries(in section: [Substring]) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    for line in section where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
      guard cells.count == 3 else {
        XCTFail("not a file, a count and symbols: \(line)")
        continue
      }
      let path = cells[0].split(separator: "`")[0].split(separator: "/", maxSplits: 1)
      let file = "\(PackageFiles.folder(of: String(path[0])))/\(path.last ?? "")"
      let count = try XCTUnwrap(Int(cells[1].prefix { $0 != " " }), "no count: \(line)")
      // The symbols are in backquotes, so they are every other part.
      let parts = cells[2].split(separator: "`", omittingEmptySubsequences: false).enumerated()
      entries[file, default: Entry()].count += count
      entries[file]?.symbols.formUnion(
        parts.filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) })
    }
    return entries
  }

  private func occurrences(of marker: String) throws -> [String: Occurrences] {
    var occurrences: [String: Occurrences] = [:]
    for path in Sources.files(in: "Sources", ending: ".swift") {
      let text = try String(
        contentsOf: Sources.root.appendingPathComponent(path), encoding: .utf8)
      let found = Occurrences(of: marker, in: text)
      if !found.declarations.isEmpty { occurrences[path] = found }
    }
    return occurrences
  }

  func testThePageCountsEveryUncheckedPromiseInItsFile() throws {
    for marker in Self.markers {
      let found = try occurrences(of: marker).mapValues(\.declarations.count)
      XCTAssertGreaterThan(found.count, 10, marker)
      let section = try section(of: marker)
      let said = try entries(in: section).mapValues(\.count)
      for file in Set(found.keys).union(said.keys).sorted() where found[file] != said[file] {
        XCTFail(
          "\(file) has \(marker) \(found[file] ?? 0) times, Docs/Soundness.md says "
            + "\(said[file] ?? 0): give the reason there")
      }
      let summary = "There are \(found.values.reduce(0, +)), in \(found.count) files."
      XCTAssertTrue(section.contains { $0 == summary }, "\(marker): \(summary)")
    }
  }

  func testThePageNamesTheDeclarationOfEveryUncheckedPromise() throws {
    for marker in Self.markers {
      let entries = try entries(in: section(of: marker))
      for (file, found) in try occurrences(of: marker) {
        let symbols = entries[file]?.symbols ?? []
        for declaration in found.declarations {
          XCTAssertTrue(
            symbols.contains { declaration.contains($0) },
            "\(file): Docs/Soundness.md does not name what has \(marker) here:\n\(declaration)")
        }
        for symbol in symbols {
          XCTAssertTrue(
            found.declarations.contains { $0.contains(symbol) },
            "\(file): \(symbol) does not have \(marker)")
        }
      }
    }
  }
}
