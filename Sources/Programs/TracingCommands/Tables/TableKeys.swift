import CallTracing

/// Names a row of waits: the function in which threads wait, and the queue that they wait for.
///
/// If no queue is known, `caller` is who calls the function.
struct WaitKey: Hashable {
  let function: String
  let queue: String
  let caller: String
}

/// Names a queue in the tables: queues of one name in several processes share a row.
struct QueueKey: Hashable {
  let label: String
  let ordinal: Int
  let name: String
  let isSerial: Bool?
}

extension TraceSubject: RowSource {
  /// The name of the code.
  var key: TracedName { TracedName(self) }

  static var others: TracedName { TracedName(title: "(others)", image: nil, signature: "") }
}

/// A queue of one process.
struct QueueSource: RowSource {
  private let queue: TracedQueue

  init(_ queue: TracedQueue) { self.queue = queue }

  var key: QueueKey {
    QueueKey(
      label: queue.label, ordinal: queue.ordinal, name: queue.name, isSerial: queue.isSerial)
  }

  static var others: QueueKey {
    QueueKey(label: "(others)", ordinal: 1, name: "(others)", isSerial: nil)
  }

  static func == (left: QueueSource, right: QueueSource) -> Bool { left.queue === right.queue }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}

/// What a record has by which its row of waits is found.
struct WaitSource: RowSource {
  private let function: TraceSubject
  private let queue: QueueSource?
  private let caller: TraceCaller?

  init(_ record: TraceRecord) {
    function = record.subject
    queue = (record.submission?.queue).map(QueueSource.init)
    caller = queue == nil ? record.callers.first : nil
  }

  var key: WaitKey {
    WaitKey(
      function: function.title, queue: queue?.key.name ?? "", caller: caller?.shortName ?? "")
  }

  static var others: WaitKey { WaitKey(function: "(others)", queue: "", caller: "") }

  static func == (left: WaitSource, right: WaitSource) -> Bool {
    left.function == right.function && left.queue == right.queue && left.caller === right.caller
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(function)
    hasher.combine(queue)
    hasher.combine(caller.map(ObjectIdentifier.init))
  }
}
