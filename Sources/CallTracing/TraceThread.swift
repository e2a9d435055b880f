private import BlockRuntimeThreads
private import CCallTracing.TraceThread

// SAFETY, for the whole file: the record is the current thread's own and lives as long as it.

/// What the current thread does for tracers; to be used on that thread only.
@safe
struct TraceThread {
  private let record: UnsafeMutablePointer<cbr_trace_thread>

  /// The thread that asks.
  @inline(__always)
  static var current: TraceThread { TraceThread() }

  @inline(__always)
  private init() { unsafe record = unsafe cbr_trace_thread_current() }

  /// The kernel's number of the thread.
  @inline(__always)
  var number: Int32 { unsafe cbr_trace_thread_number(record) }

  /// The process that the thread belongs to; forks must be watched.
  static var process: Int32 { cbr_trace_process_number() }

  /// Has `introduce` make the thread's name known to a stream, once.
  func introduce(to stream: UInt32, _ introduce: (_ name: String) -> Bool) {
    guard unsafe record.pointee.introduced_to != stream else { return }
    let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
      let start = unsafe name.baseAddress.unsafelyUnwrapped
      unsafe cbr_trace_thread_name(start)
      return unsafe String(cString: start)
    }
    if introduce(name) { unsafe record.pointee.introduced_to = stream }
  }

  /// Whether sinks run on the thread.
  @inline(__always)
  var isDelivering: Bool { unsafe record.pointee.delivering != nil }

  /// Whether calls on the thread are not traced by a queue: where sinks run, and in a forked child.
  @inline(__always)
  var isUntraced: Bool { unsafe record.pointee.delivering != nil || cbr_trace_is_in_fork() }

  /// Whether the process is the child of a fork, where nothing is delivered.
  static var isInForkedChild: Bool { cbr_trace_is_in_fork() }

  /// Notices forks from now on.
  static func watchForks() { cbr_trace_watch_forks() }

  /// Whether a queue gives records to its sinks on the thread.
  func isDelivering(_ queue: TraceQueue) -> Bool {
    unsafe record.pointee.delivering == UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
  }

  /// Marks the thread as giving a queue's records to sinks while `body` runs.
  func deliver(_ queue: TraceQueue, _ body: () -> Void) {
    unsafe record.pointee.delivering = unsafe UnsafeRawPointer(
      Unmanaged.passUnretained(queue).toOpaque())
    body()
    unsafe record.pointee.delivering = nil
  }

  /// Begins a traced call.
  ///
  /// - Returns: How many calls it is inside of.
  @inline(__always)
  func enter(_ place: DepthPlace) -> Int32 {
    let depth = unsafe cbr_trace_depth(record, place.number, place.tracer)
    let outer = unsafe depth.pointee
    unsafe depth.pointee = outer &+ 1
    return outer
  }

  /// Ends a traced call, and those inside of it that were left without an end.
  ///
  /// - Parameters:
  ///   - place: Where the tracer counts.
  ///   - depth: How many calls it was inside of.
  @inline(__always)
  func leave(_ place: DepthPlace, at depth: Int32) {
    unsafe cbr_trace_depth(record, place.number, place.tracer).pointee = depth
  }
}

/// Where each thread counts the calls of a tracer that are under way.
///
/// Fifteen tracers have a place of their own; those beyond share the last.
struct DepthPlace: Sendable {
  let number: Int32

  /// Whose calls are counted; 0 for all that share the last place.
  let tracer: UInt32

  private static let shared: Int32 = 15
  private static let taken = Locked<(places: UInt32, tracers: UInt32)>((0, 0))

  /// Takes a place, to be given back by `free`.
  static func take() -> DepthPlace {
    taken.withLock { taken in
      let free = Int32((~taken.places).trailingZeroBitCount)
      guard free < shared else { return DepthPlace(number: shared, tracer: 0) }
      taken.places |= 1 << UInt32(free)
      taken.tracers &+= 1
      return DepthPlace(number: free, tracer: taken.tracers)
    }
  }

  /// Gives the place back: no call of the tracer is under way.
  func free() {
    guard number != DepthPlace.shared else { return }
    DepthPlace.taken.withLock { $0.places &= ~(1 << UInt32(number)) }
  }
}
