/// Rows that many calls of a page share: numbers of rows of other tables, and texts.
enum TracePageTables {
  /// A process.
  struct Process: TraceJSONObject {
    let number: Int32
    let name: String

    func appendMembers(to text: inout TraceText) {
      text.append("number", number)
      text.append("name", name)
    }
  }

  /// The code that was called, in one process.
  struct Subject: Hashable {
    let process: Int32
    let name: TracedName
  }

  /// The code with the file and the line where it was written.
  struct LocatedSubject: TraceJSONObject {
    private let process: Int32
    private let name: TracedName
    private let location: (file: String, line: Int)?

    init(_ subject: Subject, _ locate: LocationSearch?) {
      (process, name) = (subject.process, subject.name)
      location = name.place.flatMap { locate?($0) }
    }

    func appendMembers(to text: inout TraceText) {
      text.append("process", process)
      text.append("title", name.title)
      text.append("name", name.short)
      text.append("image", name.image)
      text.append("signature", name.signature)
      text.append("location", location.map { "\($0.file):\($0.line)" })
    }
  }

  /// A thread; it has no name while it is known only as a sender.
  struct Lane: TraceJSONObject {
    let thread: TracedThread
    var name = ""

    func appendMembers(to text: inout TraceText) {
      text.append("process", thread.process)
      text.append("thread", thread.number)
      text.append("name", name)
    }
  }

  /// A queue as it was described last.
  struct Queue: TraceJSONObject {
    let process: Int32
    let queue: TracedQueue

    struct Key: Hashable {
      let process: Int32
      let name: String
      let isSerial: Bool?
    }

    func appendMembers(to text: inout TraceText) {
      text.append("process", process)
      text.append("label", queue.name)
      text.append("serial", queue.isSerial)
      text.append("target", queue.target)
      text.append("qos", queue.qualityOfService?.name)
    }
  }

  /// Where and how a block was sent.
  struct Sending: Hashable, TraceJSONObject {
    let queue: Int32
    let function: String
    let callers: Int32
    let isDelayed: Bool

    func appendMembers(to text: inout TraceText) {
      text.append("queue", queue)
      text.append("function", function)
      text.append("callers", callers)
      text.append("delayed", isDelayed)
    }
  }

  /// A Swift task as it was described last.
  struct Task: TraceJSONObject {
    let process: Int32
    let task: TracedTask

    /// The list of those that created it, which is known when the page is written.
    var creators: Int32 = -1

    func appendMembers(to text: inout TraceText) {
      text.append("process", process)
      text.append("number", task.number)
      text.append("name", task.name)
      text.append("parent", task.parent)
      text.append("priority", task.priority?.name)
      text.append("creators", creators)
    }
  }

  /// How a record ended, and what it is of.
  struct Ending: Hashable, TraceJSONObject {
    let outcome: String
    let error: Int32
    let isWait: Bool
    let isPart: Bool
    let suspension: String?

    func appendMembers(to text: inout TraceText) {
      text.append("outcome", outcome)
      text.append("error", error)
      text.append("wait", isWait)
      text.append("part", isPart)
      text.append("suspension", suspension)
    }
  }

  /// Rows that are found by a key and may be replaced.
  struct Keyed<Key: Hashable, Row> {
    private var keys = NumberedValues<Key>()
    var rows: [Row] = []

    /// Returns the number of a key's row, which is the given one if there was none.
    mutating func number(of key: Key, or row: @autoclosure () -> Row) -> Int32 {
      let (number, isNew) = keys.number(of: key)
      if isNew { rows.append(row()) }
      return number
    }

    /// Returns the number of a key's row, which becomes the given one unless it is the same; and
    /// whether it became that.
    mutating func update(
      _ row: Row, of key: Key, unless isSame: (Row) -> Bool
    ) -> (number: Int32, isChanged: Bool) {
      let (number, isNew) = keys.number(of: key)
      if isNew {
        rows.append(row)
      } else if isSame(self[number]) {
        return (number, false)
      } else {
        self[number] = row
      }
      return (number, true)
    }

    subscript(number: Int32) -> Row {
      get { rows[Int(number)] }
      set { rows[Int(number)] = newValue }
    }
  }
}
