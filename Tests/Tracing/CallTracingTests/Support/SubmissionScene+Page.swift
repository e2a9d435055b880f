import BlockABI
import BlockHooks
import CallTracing
import TestSupport
import XCTest

extension SubmissionScene {
  /// The page of all records since the last time, with the blocks that have not begun.
  func page() throws -> (text: String, records: [TraceRecord]) {
    let text = Recorder<String>()
    let sink = HTMLTraceSink(TraceOutput(text.record), title: "Scene")
    let all = try records() + pending()
    sink.receive(all)
    sink.finish()
    XCTAssertEqual(sink.lostRecordCount, 0)
    return (written(text), all)
  }

  /// Sends so many blocks to a queue, then runs them one after the other.
  func burst(_ count: Int, to queue: Queue, from first: UInt = 0x1000) {
    for number in 0..<UInt(count) { send(first + 16 * number, to: queue.number) }
    for number in 0..<UInt(count) { run(first + 16 * number, on: queue) }
  }

  /// Runs three parts of a task, which is suspended between them, and part of a child.
  func runTasks(on queue: Queue) {
    let callers = unsafe [UnsafeRawPointer(bitPattern: Self.address + 1)]
    let (plain, child) = (UInt64(0x1100), UInt64(0x1900 | 1 << 24))
    unsafe callers.withUnsafeBufferPointer {
      unsafe queues.create(task: 7, flags: plain, running: Self.address, by: $0)
    }
    queues.name(task: 7, "seven")
    for suspension in [TaskSuspension.group, .continuation, .left] {
      queues.submit(task: 7, flags: plain, job: 0x70, to: queue.number, by: .task)
      queue.queue.sync {
        part(of: 7, job: 0x70, suspension) {
          if suspension == .group {
            queues.submit(task: 8, flags: child, job: 0x80, to: queue.number, by: .task)
          }
        }
        if suspension == .group { part(of: 8, job: 0x80, .left) }
      }
    }
  }
}

extension TracePageFile.Queue {
  init?(_ queue: TracedQueue?) {
    guard let queue else { return nil }
    self.init(
      label: queue.label, isSerial: queue.isSerial, target: queue.target,
      quality: queue.qualityOfService?.name)
  }
}

extension TracePageFile.Call {
  /// What a page says of a record, if its times are from a certain one.
  init(_ record: TraceRecord, from origin: UInt64) {
    var error: String?
    if case .threw(let text) = record.outcome { error = text }
    self.init(
      start: record.startNanoseconds - origin, duration: record.durationNanoseconds,
      sequence: record.sequence, process: Int(record.process), thread: Int(record.thread),
      depth: record.depth, title: record.subject.title, arguments: record.arguments,
      result: record.result, outcome: record.outcome.name, error: error,
      isWait: record.kind == .wait, isPart: record.isPartOfTask,
      suspension: record.suspension?.name, queue: TracePageFile.Queue(record.queue),
      waited: record.waitedNanoseconds)
    if let submission = record.submission {
      sending = TracePageFile.Sending(
        queue: TracePageFile.Queue(submission.queue), function: submission.function,
        callers: submission.callers.map { $0.shortName ?? "" }, isDelayed: submission.isDelayed,
        thread: Int(submission.thread))
    }
    if let task = record.task {
      self.task = TracePageFile.Task(
        number: Int(task.number), name: task.name, parent: task.parent.map(Int.init),
        priority: task.priority?.name, creators: task.creators.map { $0.shortName ?? "" })
    }
  }
}
