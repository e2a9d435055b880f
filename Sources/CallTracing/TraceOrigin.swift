/// Where a record comes from that another process made.
final class TraceOrigin: Sendable {
  let process: Int32
  let processName: String
  let threadName: String?

  init(process: Int32, processName: String, threadName: String?) {
    self.process = process
    self.processName = processName
    self.threadName = threadName
  }
}
