/// Rows that many calls of a page share: numbers of rows of other tables, and texts.
enum TracePageTables {
  /// The code that was called, in one process.
  struct Subject: Hashable {
    let process: Int32
    let name: TracedName
  }

  /// A thread.
  struct Lane: Hashable {
    let process: Int32
    let thread: Int32
  }

  /// A queue.
  struct Queue: Hashable {
    let process: Int32
    let name: String
    let isSerial: Bool?
  }

  /// Where and how a block was sent.
  struct Sending: Hashable {
    let queue: Int32
    let function: String
    let callers: Int32
    let isDelayed: Bool
  }

  /// A Swift task.
  struct Task: Hashable {
    let process: Int32
    let number: UInt64
  }

  /// How a record ended, and what it is of.
  struct Ending: Hashable {
    let outcome: String
    let error: Int32
    let isWait: Bool
    let isPart: Bool
    let suspension: String?
  }
}

extension TraceText {
  /// Appends a JSON array of elements that `render` appends.
  mutating func append<Element>(
    list: some Sequence<Element>, _ render: (inout TraceText, Element) -> Void
  ) {
    append("[" as StaticString)
    var isFirst = true
    for element in list {
      if !isFirst { append("," as StaticString) }
      isFirst = false
      render(&self, element)
    }
    append("]" as StaticString)
  }

  /// Appends a JSON object of members that are rendered already.
  mutating func append(
    members: [(name: StaticString, render: (inout TraceText) -> Void)]
  ) {
    append("{" as StaticString)
    for (index, member) in members.enumerated() {
      append(index == 0 ? "\"" : ",\"" as StaticString)
      append(member.name)
      append("\":" as StaticString)
      member.render(&self)
    }
    append("}" as StaticString)
  }

  /// Appends a JSON truth value.
  mutating func append(json truth: Bool) { append(truth ? "true" : "false" as StaticString) }
}
