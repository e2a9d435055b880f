import Foundation
import XCTest

/// A page that an `HTMLTraceSink` wrote, with the data in it as Foundation reads them.
struct TracePageFile {
  /// The page's whole text.
  let text: String

  /// The page without the data: the same in every page.
  let frame: String

  private let data: [String: Any]

  /// Takes the page apart.
  init(_ text: String) throws {
    self.text = text
    let opening = #"<script type="application/json" id="trace">"#
    let begin = try XCTUnwrap(text.range(of: opening), "there are no data").upperBound
    // An HTML parser ends the element here, whatever the data contain.
    let end = try XCTUnwrap(text.range(of: "</script", range: begin..<text.endIndex)).lowerBound
    frame = String(text[..<begin] + text[end...])
    let value = try JSONSerialization.jsonObject(with: Data(text[begin..<end].utf8))
    data = try XCTUnwrap(value as? [String: Any])
  }

  /// Reads a page from a file.
  init(path: String) throws { try self.init(String(contentsOfFile: path, encoding: .utf8)) }

  var title: String? { data["title"] as? String }
  var unshown: Int? { data["unshown"] as? Int }

  /// One call, its numbers replaced by what they stand for.
  struct Call: Equatable {
    var start: UInt64
    var duration: UInt64
    var sequence: UInt64
    var thread: Int
    var depth: Int
    var title: String
    var arguments: [String]
    var result: String?
    var outcome: String
    var error: String?
  }

  /// The calls, of which every column must have as many.
  func calls() throws -> [Call] {
    let columns = try XCTUnwrap(data["calls"] as? [String: [NSNumber]])
    let texts = try XCTUnwrap(data["texts"] as? [String])
    let lists = try XCTUnwrap(data["lists"] as? [[Int]])
    let subjects = try XCTUnwrap(data["subjects"] as? [[String: Any]])
    let lanes = try XCTUnwrap(data["lanes"] as? [[String: Any]])
    func text(_ number: NSNumber) -> String? { number == -1 ? nil : texts[number.intValue] }
    func column(_ name: String) throws -> [NSNumber] { try XCTUnwrap(columns[name], name) }
    let starts = try column("start")
    XCTAssertEqual(Set(columns.values.map(\.count)), [starts.count])
    XCTAssertEqual(columns.count, 10)
    return try starts.indices.map { call in
      Call(
        start: starts[call].uint64Value, duration: try column("duration")[call].uint64Value,
        sequence: try column("sequence")[call].uint64Value,
        thread: try XCTUnwrap(lanes[try column("lane")[call].intValue]["thread"] as? Int),
        depth: try column("depth")[call].intValue,
        title: try XCTUnwrap(subjects[try column("subject")[call].intValue]["title"] as? String),
        arguments: lists[try column("arguments")[call].intValue].map { texts[$0] },
        result: text(try column("result")[call]),
        outcome: try XCTUnwrap(text(column("outcome")[call])),
        error: text(try column("error")[call]))
    }
  }

  /// The threads' headings.
  var laneNames: [String?] {
    (data["lanes"] as? [[String: Any]] ?? []).map { $0["name"] as? String }
  }

  /// How many texts are kept.
  var textCount: Int { (data["texts"] as? [String])?.count ?? 0 }
}
