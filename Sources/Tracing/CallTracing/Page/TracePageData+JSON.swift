/// The rows of a page's tables as JSON objects.
extension TracePageData {
  static func append(_ subject: TracePageTables.Subject, to text: inout TraceText) {
    text.append(members: [
      ("process", { $0.append(subject.process) }),
      ("title", { $0.append(json: subject.name.title) }),
      ("name", { $0.append(json: subject.name.short) }),
      ("image", { $0.append(json: subject.name.image) }),
      ("signature", { $0.append(json: subject.name.signature) }),
    ])
  }

  static func append(
    _ lane: (key: TracePageTables.Lane, name: String), to text: inout TraceText
  ) {
    text.append(members: [
      ("process", { $0.append(lane.key.process) }), ("thread", { $0.append(lane.key.thread) }),
      ("name", { $0.append(json: lane.name) }),
    ])
  }

  static func append(
    _ queue: (key: TracePageTables.Queue, details: TracedQueue), to text: inout TraceText
  ) {
    text.append(members: [
      ("process", { $0.append(queue.key.process) }),
      ("label", { $0.append(json: queue.key.name) }),
      (
        "serial",
        { $0.append(json: queue.key.isSerial.map { $0 ? "true" : "false" as StaticString }) }
      ),
      ("target", { $0.append(json: queue.details.target) }),
      ("qos", { $0.append(json: queue.details.qualityOfService) }),
    ])
  }

  static func append(_ sending: TracePageTables.Sending, to text: inout TraceText) {
    text.append(members: [
      ("queue", { $0.append(sending.queue) }), ("function", { $0.append(json: sending.function) }),
      ("callers", { $0.append(sending.callers) }),
      ("delayed", { $0.append(json: sending.isDelayed) }),
    ])
  }

  static func append(
    _ key: TracePageTables.Task, _ task: TracedTask, creators: Int32, to text: inout TraceText
  ) {
    text.append(members: [
      ("process", { $0.append(key.process) }), ("number", { $0.append(key.number) }),
      ("name", { $0.append(json: task.name) }), ("parent", { $0.append(json: task.parent) }),
      ("priority", { $0.append(json: task.priority) }), ("creators", { $0.append(creators) }),
    ])
  }

  static func append(_ ending: TracePageTables.Ending, to text: inout TraceText) {
    text.append(members: [
      ("outcome", { $0.append(json: ending.outcome) }), ("error", { $0.append(ending.error) }),
      ("wait", { $0.append(json: ending.isWait) }), ("part", { $0.append(json: ending.isPart) }),
      ("suspension", { $0.append(json: ending.suspension) }),
    ])
  }
}
