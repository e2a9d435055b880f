internal import BlockABI

/// The tracks of a trace in Perfetto's format, and what was made of them and not yet written.
struct PerfettoTracks {
  private typealias Format = PerfettoFormat

  /// The subject of the packets of a sequence.
  private enum Content: Hashable {
    case calls(TracedThread)
    /// What the thread sent to queues: it is known when that has run, and so in another order.
    case sent(TracedThread)
  }

  /// A call whose end is not written.
  private typealias OpenCall = (depth: Int, end: UInt64)

  private let wallClockAtZero: UInt64?
  private let locate: LocationSearch?
  private var trace = ProtobufWriter()
  private var recordCount = 0
  private var flowCount: UInt64 = 0

  /// The names of the threads whose tracks are described, empty while there was no call of theirs.
  private var threads: [TracedThread: String] = [:]

  /// The names of the processes that are described.
  private var processes: [Int32: String] = [:]
  private var sequences: [PerfettoSequence] = []
  private var places: [Content: Int] = [:]
  private var sequenceCount: UInt64 = 0

  /// The bytes of the texts that the sequences remember.
  private var textBytes = 0

  /// How much is remembered: programs may have any number of threads and texts.
  private static let (sequenceLimit, textByteLimit) = (1 << 14, 64 << 20)

  /// The time of the clocks of all sequences when they begin: viewers take none from a sequence
  /// that says an earlier time than one before it, and show no event of it.
  private var origin: UInt64?

  init(wallClockAtZero: UInt64?, locating locate: LocationSearch?) {
    (self.wallClockAtZero, self.locate) = (wallClockAtZero, locate)
  }

  /// Removes and returns the bytes, and how many records they have.
  mutating func takeBytes() -> (bytes: [UInt8], recordCount: Int) {
    defer {
      trace.clear()
      recordCount = 0
    }
    return (trace.bytes, recordCount)
  }

  /// Begins new sequences and describes every track again: what was made could not be written, or
  /// too much of it is remembered.
  mutating func startOver() {
    textBytes = 0
    threads = [:]
    processes = [:]
    sequences = []
    places = [:]
  }

  /// Appends calls of one thread, in the order in which they began.
  mutating func append(_ calls: [TraceRecord]) {
    guard let first = calls.first else { return }
    let thread = TracedThread(first)
    let track = track(thread, first)
    let place = place(.calls(thread), on: track, from: first.startNanoseconds)
    var open: [OpenCall] = []
    var last: UInt64 = 0
    for call in calls {
      close(&open, downTo: call.depth, before: call.startNanoseconds, behind: &last, in: place)
      append(call, in: place)
      last = call.startNanoseconds
      if call.hasStarted { open.append((call.depth, call.endNanoseconds)) }
    }
    close(&open, downTo: 0, before: .max, behind: &last, in: place)
    recordCount += calls.count
    if sequences.count > Self.sequenceLimit || textBytes > Self.textByteLimit { startOver() }
  }

  /// Begins a sequence without events if there is none: viewers refuse a file without bytes.
  mutating func beginIfEmpty(at time: UInt64) {
    guard sequenceCount == 0 else { return }
    beginSequence(on: 0, from: time)
  }

  // MARK: - Calls

  private mutating func append(_ call: TraceRecord, in place: Int) {
    let subject = call.subject
    var labels: [(PerfettoAnnotation, String)] = []
    let flow = send(call)
    // An arrow comes from an instant that names the queue and the sender.
    if flow == nil, let queue = call.queue { labels.append((.queue, queue.name)) }
    if flow == nil, !call.callers.isEmpty { labels.append((.caller, call.callers.chain)) }
    if call.outcome != .returned { labels.append((.outcome, call.outcome.name)) }
    if let name = call.task?.name { labels.append((.taskName, name)) }
    if let suspension = call.suspension { labels.append((.suspension, suspension.name)) }
    textBytes += sequences[place].append(
      call.hasStarted ? .begin : .instant, at: call.startNanoseconds,
      PerfettoSequence.Title(
        name: subject.shortTitle, function: subject.name, image: subject.image,
        place: subject.place),
      labels: labels, to: &trace
    ) { event in
      if let category = call.category { event.append(Format.Event.category, category.rawValue) }
      if let flow { event.append(Format.Event.endOfFlow, flow) }
      let arguments = call.arguments
      if !arguments.isEmpty { event.append(.arguments, arguments.joined(separator: ", ")) }
      if let result = call.result { event.append(.result, result) }
      if case .threw(let error) = call.outcome { event.append(.error, error) }
      if let task = call.task { event.append(.task, task.number) }
      if let parent = call.task?.parent { event.append(.parent, parent) }
    }
  }

  /// Ends the calls that are not around a call of a depth, which begins at a time; the last event
  /// was at another one.
  private mutating func close(
    _ open: inout [OpenCall], downTo depth: Int, before time: UInt64, behind last: inout UInt64,
    in place: Int
  ) {
    while let call = open.last, call.depth >= depth {
      open.removeLast()
      // Times are not trusted: a slice ends after those inside of it, and before the next one.
      last = max(min(call.end, time), last)
      sequences[place].append(.end, at: last, to: &trace)
    }
  }

  /// Appends that a call's block was sent to a queue, if its sender did not wait for it.
  ///
  /// - Returns: The number of the arrow from there to the call.
  private mutating func send(_ call: TraceRecord) -> UInt64? {
    guard call.hasStarted, let submission = call.submission, let time = submission.nanoseconds,
      !submission.way.isSynchronous
    else { return nil }
    let thread = TracedThread(process: call.process, number: submission.thread)
    let place = place(.sent(thread), on: track(thread, nil), from: time)
    let caller = submission.callers.first
    flowCount += 1
    let flow = flowCount
    textBytes += sequences[place].append(
      .instant, at: time,
      PerfettoSequence.Title(
        name: "→ \(submission.queue?.title ?? "a queue")", function: caller?.description,
        image: caller?.image, place: caller?.place),
      to: &trace
    ) { $0.append(Format.Event.flow, flow) }
    return flow
  }

  // MARK: - Tracks

  /// The place of a sequence, which is made if there is none yet.
  private mutating func place(_ content: Content, on track: UInt64, from start: UInt64) -> Int {
    if let place = places[content] { return place }
    let place = sequences.count
    places[content] = place
    beginSequence(on: track, from: start)
    return place
  }

  private mutating func beginSequence(on track: UInt64, from start: UInt64) {
    sequenceCount += 1
    let start = origin ?? start
    origin = start
    sequences.append(
      PerfettoSequence(
        sequenceCount, track: track, start: start, wallClockAtZero: wallClockAtZero,
        locating: locate, &trace))
  }

  /// The number of a thread's track, which is described when it is new, and again with each new
  /// name.
  ///
  /// A thread of this process has the name that it had first, for reading it takes a system call.
  private mutating func track(_ thread: TracedThread, _ record: TraceRecord?) -> UInt64 {
    let process = UInt64(UInt32(bitPattern: thread.process)) << 32
    let number = process | UInt64(UInt32(bitPattern: thread.number))
    if let known = threads[thread] {
      guard let record else { return number }
      if record.processName == nil ? !known.isEmpty : known == record.nameOfThread { return number }
    }
    if processes[thread.process] == nil {
      let name = record?.processName ?? comm("/proc/self/comm") ?? "process"
      processes[thread.process] = name
      describe(process) { track in
        track.append(Format.Track.process) {
          $0.append(Format.Process.number, signed: thread.process)
          $0.append(Format.Process.name, name)
        }
      }
    }
    // The first thread has its process's name.
    let isFirst = thread.number == thread.process
    let name = record?.nameOfThread ?? (isFirst ? processes[thread.process] : nil)
    threads[thread] = record == nil ? "" : name
    describe(number) { track in
      track.append(Format.Track.thread) {
        $0.append(Format.Thread.process, signed: thread.process)
        $0.append(Format.Thread.number, signed: thread.number)
        if let name { $0.append(Format.Thread.name, name) }
      }
    }
    return number
  }

  private mutating func describe(_ number: UInt64, _ fill: (inout ProtobufWriter) -> Void) {
    trace.append(Format.Trace.packet) { packet in
      packet.append(Format.Packet.trackDescriptor) { track in
        track.append(Format.Track.number, number)
        fill(&track)
      }
    }
  }
}

extension TraceRecord {
  /// The category of what is no call.
  fileprivate var category: PerfettoCategory? {
    isPartOfTask ? .task : kind == .wait ? .wait : nil
  }
}
