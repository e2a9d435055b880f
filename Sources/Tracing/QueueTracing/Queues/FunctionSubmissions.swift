internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import CallTracing
internal import Invocations
internal import SymbolInterposing

/// Records the C functions that are sent to queues with a context, and their calls.
final class FunctionSubmissions: Sendable {
  // SAFETY: the hooks have the signatures that libdispatch declares, in which the arguments that
  // are read and replaced are pointers; the caller of a hooked function keeps its objects alive.

  /// A function of libdispatch that takes a function and its context.
  private struct Sender {
    /// How the function is sent; nil for `dispatch_once_f`, where no queue is named.
    let way: SubmissionWay?
    let signature: String

    /// The argument that is the queue; the context follows it, and then the function.
    let queue: Int

    var symbol: String { way.map { "\($0.function)_f" } ?? "dispatch_once_f" }

    static let all: [Sender] = [
      Sender(way: .async, signature: "v^v^v^v", queue: 0),
      Sender(way: .barrierAsync, signature: "v^v^v^v", queue: 0),
      Sender(way: .after, signature: "vQ^v^v^v", queue: 1),
      Sender(way: .groupAsync, signature: "v^v^v^v^v", queue: 1),
      Sender(way: .groupNotify, signature: "v^v^v^v^v", queue: 1),
      Sender(way: .sync, signature: "v^v^v^v", queue: 0),
      Sender(way: .barrierSync, signature: "v^v^v^v", queue: 0),
      Sender(way: .asyncAndWait, signature: "v^v^v^v", queue: 0),
      Sender(way: .barrierAsyncAndWait, signature: "v^v^v^v", queue: 0),
      Sender(way: .apply, signature: "vQ^v^v^v", queue: 1),
      Sender(way: nil, signature: "v^q^v^v", queue: 0),
    ]
  }

  private let tracer: Tracer
  private let queues: TraceQueues
  private let submissions: SubmissionTrace
  private let handlers: HandlerFunctions

  /// Records tasks; nil if the program has none.
  private let tasks: TaskTrace?

  /// A function that is sent to queues.
  private enum Sent: Sendable {
    case function(OpaqueCallTrace)
    /// Runs jobs of Swift's concurrency library.
    case job
    /// The filter leaves it out.
    case excluded
  }

  /// The functions that were sent, by their addresses.
  private let known = Locked<[UInt: Sent]>([:])

  /// No more functions are traced, as code that is made at run time might never end.
  private static let limit = 4096

  private init(
    _ tracer: Tracer, _ queues: TraceQueues, _ submissions: SubmissionTrace, _ tasks: TaskTrace?
  ) {
    self.tracer = tracer
    self.queues = queues
    self.submissions = submissions
    handlers = HandlerFunctions(queues)
    self.tasks = tasks
  }

  /// Hooks the functions for a tracer.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  static func install(
    _ tracer: Tracer, _ queues: TraceQueues, _ submissions: SubmissionTrace, _ tasks: TaskTrace?,
    _ hooks: inout HookSet
  ) throws(InterposingError) -> FunctionSubmissions {
    let functions = FunctionSubmissions(tracer, queues, submissions, tasks)
    for sender in Sender.all { try functions.install(sender, &hooks) }
    for way in SubmissionWay.allCases where way.isHandler {
      try functions.installHandler(way, &hooks)
    }
    return functions
  }

  /// Whether the calls of C functions are recorded that sources run as their handlers.
  var areHandlersTraced: Bool {
    get { handlers.areTraced }
    set { handlers.areTraced = newValue }
  }

  /// Forgets what is known of addresses of code: other code may be there.
  func forgetCode() {
    known.exchange([:])
    handlers.forgetUnloadedFunctions()
  }

  private func install(_ sender: Sender, _ hooks: inout HookSet) throws(InterposingError) {
    let isIteration = sender.way == .apply
    guard let interface = try? CallInterface.of(isIteration ? "v^vQ" : "v^v") else { return }
    let runsLater = sender.way?.returnsAfterBlock == false
    try hooks.install(
      .instead, of: sender.symbol, sender.signature,
      in: tasks == nil ? .withoutDispatch : .withTasks, name: "queues"
    ) { call in
      let function = unsafe try call.argument(sender.queue + 2, as: UnsafeRawPointer?.self)
      let context = unsafe try call.argument(sender.queue + 1, as: UnsafeMutableRawPointer?.self)
      guard let function = unsafe function else { return try call.proceed() }
      let trace: OpaqueCallTrace
      switch unsafe self.look(at: function, interface) {
      case .function(let found) where try self.admits(sender, call): trace = found
      case .job where runsLater: return unsafe try self.sendJob(function, context, sender, &call)
      default: return try call.proceed()
      }
      var submitted = unsafe SubmittedFunction(
        address: function, context: context,
        trace: runsLater ? .passRetained(trace) : .passUnretained(trace))
      if runsLater {
        let memory = unsafe UnsafeMutablePointer.allocate(for: submitted)
        unsafe try self.send(memory, sender, &call, running: SubmittedFunction.runOnce)
      } else {
        // Its calls do not retain the trace, which may be forgotten meanwhile.
        defer { withExtendedLifetime(trace) {} }
        unsafe try withUnsafeMutablePointer(to: &submitted) { memory in
          if isIteration {
            unsafe try self.send(memory, sender, &call, running: SubmittedFunction.iterate)
          } else {
            unsafe try self.send(memory, sender, &call, running: SubmittedFunction.run)
          }
        }
      }
    }
  }

  /// Whether the filter selects the queue that a function is sent to.
  private func admits(
    _ sender: Sender, _ call: borrowing CallFrame
  ) throws(InvocationError) -> Bool {
    guard sender.way != nil else { return true }
    return unsafe submissions.admits(
      queue: try call.argument(sender.queue, as: UnsafeRawPointer?.self))
  }

  /// Records a submission, and makes it with another function and context.
  private func send<Function>(
    _ memory: UnsafeMutablePointer<SubmittedFunction>, _ sender: Sender,
    _ call: inout CallFrame, running function: Function
  ) throws {
    if let way = sender.way {
      let queue = unsafe try call.argument(sender.queue, as: UnsafeRawPointer?.self)
      let count = way == .apply ? Int(clamping: try call.argument(0, as: UInt.self)) : 1
      unsafe submissions.callers.withCallers { callers in
        unsafe queues.submit(
          block: UInt(bitPattern: memory), code: UInt(bitPattern: memory.pointee.address),
          to: queues.number(of: queue), by: way, count: count, from: callers)
      }
    }
    unsafe try proceed(&call, sender, with: memory, running: function)
  }

  /// Makes a submission with another function and context.
  private func proceed<Function>(
    _ call: inout CallFrame, _ sender: Sender, with memory: UnsafeMutableRawPointer,
    running function: Function
  ) throws {
    unsafe try call.setArgument(sender.queue + 1, memory as UnsafeMutableRawPointer?)
    unsafe try call.setArgument(
      sender.queue + 2, unsafeBitCast(function, to: UnsafeRawPointer?.self))
    try call.proceed()
  }

  // MARK: - Handlers of sources

  /// Hooks a function that takes a source's handler: the source gets code that calls it.
  private func installHandler(
    _ way: SubmissionWay, _ hooks: inout HookSet
  ) throws(InterposingError) {
    guard let interface = try? CallInterface.of("v^v") else { return }
    try hooks.install(
      .instead, of: "\(way.function)_f", "v^v^v", in: .withoutDispatch, name: "queues"
    ) { call in
      guard
        let source = unsafe try call.argument(0, as: UnsafeMutableRawPointer?.self),
        let function = unsafe try call.argument(1, as: UnsafeRawPointer?.self),
        case .function(let trace) = unsafe self.look(at: function, interface),
        let standIn = unsafe self.handlers.standIn(for: function, way, trace, interface)
      else { return try call.proceed() }
      let queue = unsafe self.queues.queue(ofSource: source)
      unsafe self.submissions.callers.withCallers { callers in
        unsafe self.queues.submit(
          block: standIn.place(on: queue),
          code: UInt(bitPattern: function), to: queue, by: way, from: callers)
      }
      unsafe try call.setArgument(1, standIn.code as UnsafeRawPointer?)
      try call.proceed()
    }
  }

  // MARK: - Jobs

  /// Records that a job of Swift's concurrency library is sent to a queue, and sends it so that the
  /// end of what runs it is seen.
  private func sendJob(
    _ function: UnsafeRawPointer, _ job: UnsafeMutableRawPointer?, _ sender: Sender,
    _ call: inout CallFrame
  ) throws {
    guard let tasks, let job = unsafe job else { return try call.proceed() }
    let queue = unsafe try call.argument(sender.queue, as: UnsafeRawPointer?.self)
    unsafe tasks.submit(job: job, to: queue, by: sender.way == .after ? .taskAfter : .task)
    let memory = unsafe UnsafeMutablePointer.allocate(
      for: SubmittedJob(address: function, job: job, tasks: .passRetained(tasks)))
    unsafe try proceed(&call, sender, with: memory, running: SubmittedJob.runOnce)
  }

  /// What a function is that is sent to queues.
  private func look(at function: UnsafeRawPointer, _ interface: CallInterface) -> Sent {
    let address = UInt(bitPattern: function)
    if let known = ForkGate.inside({ known.withLock { $0[address] } }) ?? nil { return known }
    // The image's file may be read, so `known` is not locked. The tracer has locks, too, which a
    // fork of another thread must not leave taken.
    guard let made = ForkGate.inside({ unsafe make(function, interface) }) else { return .excluded }
    let kept = ForkGate.inside {
      known.withLock { known -> Sent in
        if let present = known[address] { return present }
        guard known.count < Self.limit else { return .excluded }
        known[address] = made
        return made
      }
    }
    return kept ?? .excluded
  }

  private func make(_ function: UnsafeRawPointer, _ interface: CallInterface) -> Sent {
    // SAFETY: the address is only looked up.
    return
      if tasks != nil, let library = unsafe ImageFilter.library(of: function),
      ImageFilter.concurrency.admits(library)
    {
      .job
    } else if unsafe submissions.admits(codeAt: function),
      let trace = unsafe OpaqueCallTrace(tracer, functionAt: function, interface)
    {
      .function(trace)
    } else {
      .excluded
    }
  }
}
