private import BlockRuntimeThreads
internal import CBlockRuntimeThreads.AddressTable
private import CCallTracing.TraceThread

/// The current thread's state for tracers; must be used on that thread only.
@safe
struct TraceThread {
  // SAFETY: the record belongs to the current thread and lives as long as the thread; no other
  // thread accesses it.
  private let record: UnsafeMutablePointer<cbr_trace_thread>

  /// The calling thread.
  @inline(__always)
  static var current: TraceThread { TraceThread() }

  @inline(__always)
  private init() { unsafe record = unsafe cbr_trace_thread_current() }

  /// The kernel's number of the thread.
  @inline(__always)
  var number: Int32 { unsafe cbr_trace_thread_number(record) }

  /// The process of the thread; `watchForks` must have been called.
  static var process: Int32 { cbr_trace_process_number() }

  /// The number in a table of the queue that the thread runs, 0 if it runs none; the highest number
  /// if the queue is not there.
  @inline(__always)
  func queueNumber(in table: UnsafeMutablePointer<cbr_address_table>) -> UInt32 {
    unsafe cbr_trace_current_queue(record, table)
  }

  /// The number of the Swift task that the thread runs; 0 for none.
  var task: UInt64 {
    get { unsafe record.pointee.task }
    nonmutating set { unsafe record.pointee.task = newValue }
  }

  /// Whether a stream knows the thread's name.
  @inline(__always)
  func isIntroduced(to stream: UInt32) -> Bool { unsafe record.pointee.introduced_to == stream }

  /// Calls `introduce` with the thread's name unless the stream knows it; it returns whether the
  /// stream does now.
  func introduce(to stream: UInt32, _ introduce: (_ name: UnsafeRawBufferPointer) -> Bool) {
    guard !isIntroduced(to: stream) else { return }
    var name = cbr_trace_name()
    let length = unsafe cbr_trace_name_thread(&name)
    let isIntroduced = unsafe withUnsafePointer(to: &name) {
      unsafe introduce(UnsafeRawBufferPointer(start: $0, count: length))
    }
    if isIntroduced { unsafe record.pointee.introduced_to = stream }
  }

  /// Calls `introduce`, which returns whether a stream knows the thread by its new name.
  func rename(in stream: UInt32, _ introduce: () -> Bool) {
    if introduce() { unsafe record.pointee.introduced_to = stream }
  }

  /// Whether sinks are running on the thread.
  @inline(__always)
  var isDelivering: Bool { unsafe record.pointee.delivering != nil }

  /// Whether calls on the thread are not recorded by a queue: while sinks run, and in a forked
  /// child.
  @inline(__always)
  var isUntraced: Bool { unsafe record.pointee.delivering != nil || cbr_trace_is_in_fork() }

  /// Whether the process is the child of a fork, in which nothing is delivered.
  static var isInForkedChild: Bool { cbr_trace_is_in_fork() }

  /// Starts to notice forks.
  static func watchForks() { cbr_trace_watch_forks() }

  /// Whether a queue is passing records to its sinks on the thread.
  func isDelivering(_ queue: TraceQueue) -> Bool {
    unsafe record.pointee.delivering == UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
  }

  /// Marks the thread as passing a queue's records to sinks while `body` runs.
  func deliver(_ queue: TraceQueue, _ body: () -> Void) {
    unsafe record.pointee.delivering = unsafe UnsafeRawPointer(
      Unmanaged.passUnretained(queue).toOpaque())
    body()
    unsafe record.pointee.delivering = nil
  }

  /// Begins a traced call.
  ///
  /// - Returns: The number of traced calls around it.
  @inline(__always)
  func enter(_ place: DepthPlace) -> Int32 {
    let depth = unsafe cbr_trace_depth(record, place.number, place.tracer)
    let outer = unsafe depth.pointee
    unsafe depth.pointee = outer &+ 1
    return outer
  }

  /// The number of a tracer's calls in progress.
  func depth(_ place: DepthPlace) -> Int32 {
    unsafe cbr_trace_depth(record, place.number, place.tracer).pointee
  }

  /// Ends a traced call, and calls inside it that were left without an end.
  ///
  /// - Parameters:
  ///   - place: The tracer's counter.
  ///   - depth: The number of traced calls around the call.
  @inline(__always)
  func leave(_ place: DepthPlace, at depth: Int32) {
    unsafe cbr_trace_depth(record, place.number, place.tracer).pointee = depth
  }
}

/// The counter in which each thread counts a tracer's calls in progress.
///
/// Fifteen tracers have a counter of their own; further ones share the last.
struct DepthPlace: Sendable {
  let number: Int32

  /// The tracer whose calls are counted; 0 for all that share the last counter.
  let tracer: UInt32

  private static let shared: Int32 = 15
  private static let taken = Locked<(places: UInt32, tracers: UInt32)>((0, 0))

  /// Takes a counter, which `free` returns.
  static func take() -> DepthPlace {
    taken.withLock { taken in
      let free = Int32((~taken.places).trailingZeroBitCount)
      guard free < shared else { return DepthPlace(number: shared, tracer: 0) }
      taken.places |= 1 << UInt32(free)
      taken.tracers &+= 1
      return DepthPlace(number: free, tracer: taken.tracers)
    }
  }

  /// Returns the counter; no call of the tracer may be in progress.
  func free() {
    guard number != DepthPlace.shared else { return }
    DepthPlace.taken.withLock { $0.places &= ~(1 << UInt32(number)) }
  }
}
