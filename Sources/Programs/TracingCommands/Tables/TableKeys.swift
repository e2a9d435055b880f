import CallTracing

/// A function in which threads wait, and the queue that they wait for.
struct WaitKey: Hashable {
  let function: String
  let queue: String
}

/// A queue, which is one with another of the same label.
struct QueueKey: Hashable {
  let label: String
  let isSerial: Bool?
}

extension TraceSubject: RowSource {
  /// The name of the code.
  var key: TracedName { TracedName(self) }
}

/// A queue of one process.
struct QueueSource: RowSource {
  private let queue: TracedQueue

  init(_ queue: TracedQueue) { self.queue = queue }

  var key: QueueKey { QueueKey(label: queue.label, isSerial: queue.isSerial) }

  static func == (left: QueueSource, right: QueueSource) -> Bool { left.queue === right.queue }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}

/// A function in which threads wait, and the queue of one process.
struct WaitSource: RowSource {
  private let function: TraceSubject
  private let queue: QueueSource?

  init(_ function: TraceSubject, _ queue: TracedQueue?) {
    self.function = function
    self.queue = queue.map(QueueSource.init)
  }

  var key: WaitKey { WaitKey(function: function.title, queue: queue?.key.label ?? "") }
}
