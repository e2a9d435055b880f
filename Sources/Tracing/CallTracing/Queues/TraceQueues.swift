internal import CBlockRuntimeThreads.AddressTable
internal import CCallTracing.TraceQueues
internal import CCallTracing.TraceThread
private import Glibc

/// The queues of the process, by their addresses, and the blocks that are sent to them, for the
/// stream of a tracer.
///
/// No function takes a lock, and none fails: what finds no room is not known to the reader. All may
/// be called from any thread. An address whose queue is gone becomes that of another queue when
/// that is created: where creations are not reported, a queue may bear the name of an earlier one.
@safe
package final class TraceQueues: Sendable {
  // SAFETY: the table is allocated once, and freed with this object; its functions use atomic
  // operations. Addresses of queues are looked up, and read only where the caller's object is
  // alive.
  nonisolated(unsafe) private let queues: UnsafeMutablePointer<cbr_address_table>

  /// The callers of submissions, and of other calls.
  let callers: CallerNumbers

  let stream: TraceStreamAppender
  let clock: TraceClock

  /// The counter of a thread's traced calls in progress.
  let place: DepthPlace

  /// A word of the table is a number with one of these.
  private enum Kind {
    static let queue: UInt64 = 1 << 32
    static let source: UInt64 = 2 << 32
  }

  init?(_ stream: TraceStreamAppender, _ clock: TraceClock, _ place: DepthPlace) {
    guard let callers = CallerNumbers(stream), let queues = unsafe cbr_address_table_create(16)
    else { return nil }
    unsafe self.queues = unsafe queues
    self.callers = callers
    self.stream = stream
    self.clock = clock
    self.place = place
  }

  deinit { unsafe cbr_address_table_free(queues) }

  // MARK: - Queues

  /// The number of the queue that the current thread runs; 0 for none.
  @inline(__always)
  func current(on thread: TraceThread) -> UInt32 {
    let number = unsafe thread.queueNumber(in: queues)
    return number != UInt32.max ? number : describeCurrent()
  }

  /// The number of the queue that the current thread runs; 0 for none.
  package var current: UInt32 { current(on: .current) }

  @inline(never)
  private func describeCurrent() -> UInt32 {
    // SAFETY: the thread runs the queue, so it is alive.
    unsafe number(of: dispatch_get_current_queue())
  }

  /// The number of a queue, which is described in the stream if it is new; 0 for none.
  ///
  /// ## Safety
  /// There must be a queue at the address.
  @unsafe
  package func number(of queue: UnsafeRawPointer?) -> UInt32 {
    guard let queue = unsafe queue else { return 0 }
    let word = unsafe cbr_address_word(queues, UInt(bitPattern: queue))
    if word != 0 { return UInt32(truncatingIfNeeded: word) }
    guard unsafe cbr_address_reserve(queues, UInt(bitPattern: queue)) else { return 0 }
    let isSerial: Bool?
    switch unsafe cbr_trace_queue_kind(queue) {
    case CBR_TRACE_QUEUE_SERIAL: isSerial = true
    case CBR_TRACE_QUEUE_CONCURRENT: isSerial = false
    case CBR_TRACE_QUEUE_NONE:
      return unsafe UInt32(
        truncatingIfNeeded: cbr_address_claim(queues, UInt(bitPattern: queue), Kind.queue))
    default: isSerial = nil
    }
    let number = stream.takeNumber()
    guard unsafe describe(queue, number, isCreated: false, isSerial: isSerial, target: 0)
    else { return 0 }
    let claimed = unsafe cbr_address_claim(
      queues, UInt(bitPattern: queue), Kind.queue | UInt64(number))
    return UInt32(truncatingIfNeeded: claimed)
  }

  /// Reports that a queue was created.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - isSerial: Whether it runs one block at a time; nil if that is not known.
  ///   - target: The queue that runs its blocks; nil if that is not known.
  ///
  /// ## Safety
  /// There must be queues at the addresses.
  @unsafe
  package func created(
    _ queue: UnsafeRawPointer, isSerial: Bool?, target: UnsafeRawPointer?
  ) {
    guard unsafe cbr_address_reserve(queues, UInt(bitPattern: queue)) else { return }
    let number = stream.takeNumber()
    let target = unsafe self.number(of: target)
    let isDescribed = unsafe describe(
      queue, number, isCreated: true, isSerial: isSerial, target: target)
    let word = isDescribed ? Kind.queue | UInt64(number) : 0
    _ = unsafe cbr_address_store(queues, UInt(bitPattern: queue), word)
  }

  /// Reports that a queue or a source got another target.
  ///
  /// ## Safety
  /// There must be a queue or a source, and a queue, at the addresses.
  @unsafe
  package func retargeted(_ object: UnsafeRawPointer, to target: UnsafeRawPointer?) {
    let word = unsafe cbr_address_word(queues, UInt(bitPattern: object))
    let target = unsafe number(of: target ?? cbr_trace_default_queue())
    if word & Kind.source != 0 {
      let word = Kind.source | UInt64(target)
      _ = unsafe cbr_address_store(queues, UInt(bitPattern: object), word)
    } else if word & Kind.queue != 0 {
      // The object is not read: where a queue was, there may be an object without a label now.
      stream.appendOrLeaveGap(.queue, .isRetargeted, 8) { body in
        body.append(UInt32(truncatingIfNeeded: word))
        body.append(target)
      }
    }
  }

  /// Reports that a source was created whose handlers a queue runs, by default a global one.
  ///
  /// ## Safety
  /// There must be a queue at its address.
  @unsafe
  package func createdSource(_ source: UnsafeRawPointer, queue: UnsafeRawPointer?) {
    let number = unsafe number(of: queue ?? cbr_trace_default_queue())
    _ = unsafe cbr_address_store(
      queues, UInt(bitPattern: source), Kind.source | UInt64(number))
  }

  /// The number of the queue that runs a source's handlers; 0 if that is not known.
  package func queue(ofSource source: UnsafeRawPointer?) -> UInt32 {
    let word = unsafe cbr_address_word(queues, UInt(bitPattern: source))
    return word & Kind.source != 0 ? UInt32(truncatingIfNeeded: word) : 0
  }

  private func describe(
    _ queue: UnsafeRawPointer, _ number: UInt32, isCreated: Bool, isSerial: Bool?, target: UInt32
  ) -> Bool {
    // SAFETY: the label lives as long as the queue.
    let text = unsafe cbr_trace_queue_label(queue)
    let label = unsafe UnsafeRawBufferPointer(start: text, count: text.map(strlen) ?? 0)
    let quality = unsafe cbr_trace_queue_quality(queue)
    let size = unsafe 21 + StreamBodyWriter.size(label)
    return stream.appendOrLeaveGap(.queue, .none.with(.isCreated, if: isCreated), size) { body in
      body.append(number)
      body.append(target)
      body.append(quality)
      body.append(isSerial.map { $0 ? UInt8(1) : 2 } ?? 0)
      body.append(UInt64(UInt(bitPattern: queue)))
      unsafe body.append(label)
    }
  }
}
