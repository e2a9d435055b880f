/// A thread that made calls, by its process and its number there.
package struct TracedThread: Hashable {
  package let process: Int32
  package let number: Int32

  package init(process: Int32, number: Int32) {
    (self.process, self.number) = (process, number)
  }

  /// The thread that made a record's call.
  package init(_ record: TraceRecord) {
    self.init(process: record.process, number: record.thread)
  }

  /// The thread that wrote a part of a stream.
  init(_ head: TraceStreamFormat.Head) {
    self.init(process: head.process, number: head.thread)
  }
}
