#if Everything
import Foundation
import TestSupport
import XCTest

/// What the documents of one trace of a program say, beside what its lines do: the same.
final class TracedDocumentTests: XCTestCase {
  /// What the test reads of a call in the lines of `--json`.
  private struct Call: Decodable {
    let kind: String
    let outcome: String
    let shortName: String
    let duration: UInt64?
    /// The queue that it was sent to; nil if it was called.
    let sentTo: Queue?

    struct Queue: Decodable { let label: String }
  }

  /// What the test reads of the document of `--tables`.
  private struct Tables: Decodable {
    struct Block: Decodable {
      let shortName: String
      let count: Int
      let longest: UInt64
    }

    struct Row: Decodable { let count: Int }

    let calls: Int
    let submissions: Int
    let lost: Int
    let blocks: [Block]
    let queues: [Row]
    let waits: [Row]
    let unfinished: [Row]
  }

  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the programs' times are real, and emulation is slow")
  }

  func testDocumentsAgreeWithEachOtherAndWithTheLines() throws {
    for name in [
      "explosion.swift", "inversion.swift", "timers.swift", "crash.swift", "cancel.swift",
      "mainblocked.swift", "cblocks.c", "iterations.c",
    ] {
      let program = try TracedProgram(self, file: name)
      let (json, tables) = ("\(program.path).json", "\(program.path).tables")
      let text = try program.errors(["--count", "--json", json, "--tables", tables])
      let calls = try String(contentsOfFile: json, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(Call.self, from: Data($0.utf8))
      }
      let document = try JSONDecoder().decode(
        Tables.self, from: Data(contentsOf: URL(fileURLWithPath: tables)))
      let blocks = calls.filter { $0.kind == "call" }
      let waits = calls.filter { $0.kind == "wait" }
      XCTAssertEqual(document.calls, calls.count, name)
      XCTAssertEqual(document.lost, 0, name)
      XCTAssertEqual(document.waits.map(\.count).reduce(0, +), waits.count, name)
      XCTAssertEqual(
        document.queues.map(\.count).reduce(0, +), blocks.count { $0.sentTo != nil }, name)
      let byName = Dictionary(grouping: blocks, by: \.shortName)
      for (name, rows) in Dictionary(grouping: document.blocks, by: \.shortName) {
        let own = byName[name] ?? []
        XCTAssertEqual(rows.map(\.count).reduce(0, +), own.count, name)
        XCTAssertEqual(rows.map(\.longest).max(), own.compactMap(\.duration).max(), name)
      }
      XCTAssertEqual(Set(document.blocks.map(\.shortName)), Set(byName.keys), name)
      let (plural, waitsText) = (
        blocks.count == 1 ? "" : "s",
        waits.isEmpty ? "" : ", \(waits.count) wait\(waits.count == 1 ? "" : "s")"
      )
      let line =
        "the trace: \(blocks.count) call\(plural)\(waitsText); "
        + "\(document.submissions) sent to queues, none lost; "
      XCTAssertTrue(text.contains(line), "\(name): \(line)\n\(text)")
      XCTAssertEqual(text.contains("what has not finished"), !document.unfinished.isEmpty, name)
    }
  }
}
#endif
