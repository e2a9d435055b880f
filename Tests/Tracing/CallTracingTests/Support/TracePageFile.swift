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
    var process: Int
    var thread: Int
    var depth: Int
    var title: String
    var arguments: [String]
    var result: String?
    var outcome: String
    var error: String?
    var isWait = false
    var isPart = false
    var suspension: String?
    var queue: Queue?
    var waited: UInt64?
    var sending: Sending?
    var task: Task?
  }

  struct Queue: Equatable {
    var label: String
    var isSerial: Bool?
    var target: String?
    var quality: String?
  }

  struct Sending: Equatable {
    var queue: Queue?
    var function: String
    var callers: [String]
    var isDelayed: Bool
    var thread: Int
  }

  struct Task: Equatable {
    var number: Int
    var name: String?
    var parent: Int?
    var priority: String?
    var creators: [String]
  }

  /// The number of calls that the page says it has.
  var count: Int { data["count"] as? Int ?? -1 }

  /// The names of the processes by their numbers.
  var processes: [Int: String] {
    rows("processes").reduce(into: [:]) { names, process in
      if let number = process["number"] as? Int { names[number] = process["name"] as? String }
    }
  }

  private func rows(_ name: String) -> [[String: Any]] { data[name] as? [[String: Any]] ?? [] }

  /// The numbers of every column by its name.
  func columns() throws -> [String: [Int]] {
    let texts = try XCTUnwrap(data["calls"] as? [String: String])
    return try texts.mapValues { try PackedColumn.unpack(XCTUnwrap(Data(base64Encoded: $0))) }
  }

  /// The numbers of the texts of each list.
  private func lists() throws -> [[Int]] {
    let lists = try XCTUnwrap(data["lists"] as? [String: Any])
    func column(_ name: String, _ count: String) throws -> [Int] {
      let text = try XCTUnwrap(lists[name] as? String)
      let column = try PackedColumn.unpack(XCTUnwrap(Data(base64Encoded: text)))
      XCTAssertEqual(lists[count] as? Int, column.count)
      return column
    }
    let (ends, texts) = try (column("ends", "count"), column("texts", "total"))
    return zip([0] + ends, ends).map { Array(texts[$0..<$1]) }
  }

  /// The calls, of which every column must have as many; times are from the first start.
  func calls() throws -> [Call] {
    let columns = try columns()
    XCTAssertEqual(Set(columns.values.map(\.count)), [count])
    XCTAssertEqual(columns.count, 15)
    let texts = try XCTUnwrap(data["texts"] as? [String])
    let lists = try lists()
    let (subjects, lanes, endings) = (rows("subjects"), rows("lanes"), rows("endings"))
    let queues = rows("queues").map { row in
      Queue(
        label: row["label"] as? String ?? "", isSerial: row["serial"] as? Bool,
        target: row["target"] as? String, quality: row["qos"] as? String)
    }
    func list(_ number: Any?) -> [String] {
      (number as? Int).map { lists[$0].map { texts[$0] } } ?? []
    }
    let tasks = try rows("tasks").map { row in
      Task(
        number: try XCTUnwrap(row["number"] as? Int), name: row["name"] as? String,
        parent: row["parent"] as? Int, priority: row["priority"] as? String,
        creators: list(row["creators"]))
    }
    let sendings = rows("sendings").map { row in
      Sending(
        queue: (row["queue"] as? Int).flatMap { $0 < 0 ? nil : queues[$0] },
        function: row["function"] as? String ?? "", callers: list(row["callers"]),
        isDelayed: row["delayed"] as? Bool ?? false, thread: 0)
    }
    func text(_ number: Int) -> String? { number < 0 ? nil : texts[number] }
    func column(_ name: String) throws -> [Int] { try XCTUnwrap(columns[name], name) }
    let starts = try column("start")
    let first = starts.min() ?? 0
    return try starts.indices.map { call in
      let value = { name in try column(name)[call] }
      func row<Row>(_ name: String, of rows: [Row]) throws -> Row? {
        try value(name) < 0 ? nil : rows[value(name)]
      }
      let subject = try XCTUnwrap(row("subject", of: subjects))
      let lane = try XCTUnwrap(row("lane", of: lanes))
      let ending = try XCTUnwrap(row("ending", of: endings))
      var sending = try row("sending", of: sendings)
      sending?.thread = try row("sender", of: lanes)?["thread"] as? Int ?? -1
      return Call(
        start: UInt64(starts[call] - first), duration: UInt64(try value("duration")),
        sequence: UInt64(try value("sequence")),
        process: try XCTUnwrap(lane["process"] as? Int),
        thread: try XCTUnwrap(lane["thread"] as? Int), depth: try value("depth"),
        title: try XCTUnwrap(subject["title"] as? String),
        arguments: list(try value("arguments")), result: text(try value("result")),
        outcome: try XCTUnwrap(ending["outcome"] as? String),
        error: text(try XCTUnwrap(ending["error"] as? Int)),
        isWait: try XCTUnwrap(ending["wait"] as? Bool),
        isPart: try XCTUnwrap(ending["part"] as? Bool), suspension: ending["suspension"] as? String,
        queue: try row("queue", of: queues),
        waited: try value("waited") < 0 ? nil : UInt64(try value("waited")), sending: sending,
        task: try row("task", of: tasks))
    }
  }

  /// The threads' headings.
  var laneNames: [String?] {
    rows("lanes").map { $0["name"] as? String }
  }

  /// How many texts are kept.
  var textCount: Int { (data["texts"] as? [String])?.count ?? 0 }
}

/// The form in which columns of numbers are packed.
private enum PackedColumn {
  /// Takes a column apart, independently of what packs it.
  static func unpack(_ bytes: Data) throws -> [Int] {
    var (numbers, value, rest) = ([Int](), 0, bytes[...])
    func next(_ scale: Int) throws -> Int {
      var (sum, factor) = (0, scale)
      while true {
        let byte = try XCTUnwrap(rest.popFirst())
        sum += Int(byte & 127) * factor
        factor *= 128
        if byte < 128 { return sum }
      }
    }
    while let head = rest.popFirst() {
      var difference = Int(head >> 2 & 31)
      if head > 127 { difference += try next(32) }
      if head & 2 != 0 { difference = -difference }
      for _ in 0...(head & 1 == 0 ? 0 : try next(1)) {
        value += difference
        numbers.append(value)
      }
    }
    return numbers
  }
}
