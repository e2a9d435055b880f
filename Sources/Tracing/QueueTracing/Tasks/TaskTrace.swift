internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CQueueTracing.TaskRuns
internal import CallTracing
internal import Invocations
internal import SymbolInterposing

/// Records the Swift tasks of the program: their creation, their ways to queues, and the parts of
/// them that threads run.
///
/// A part begins where Swift's concurrency library restores the thread's state for a task, and ends
/// where it saves that, or where the thread returns from the job, as from the first of an
/// asynchronous `main` before its queue is run. Tasks that the library runs without these calls are
/// not seen.
final class TaskTrace: Sendable {
  // SAFETY: the hooks have the signatures of the functions, of which arguments and results are
  // addresses; a thread runs a task that is alive. Addresses of code are only looked up.

  let queues: TraceQueues
  private let submissions: SubmissionTrace
  private let functions: TaskFunctions

  /// Nil if Swift's library is not as this one knows it.
  private let waits: TaskWaits?

  private init(_ queues: TraceQueues, _ submissions: SubmissionTrace, _ functions: TaskFunctions) {
    self.queues = queues
    self.submissions = submissions
    self.functions = functions
    waits = TaskWaits(queues, functions)
  }

  /// Hooks the functions; nil if the program has no tasks.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  static func install(
    _ tracer: Tracer, _ queues: TraceQueues, _ submissions: SubmissionTrace,
    _ hooks: inout HookSet
  ) throws(InterposingError) -> TaskTrace? {
    guard cbr_has_tasks(), let functions = TaskFunctions(tracer, submissions) else { return nil }
    let trace = TaskTrace(queues, submissions, functions)
    try trace.installParts(&hooks)
    try trace.installCreations(&hooks)
    try trace.waits?.install(&hooks)
    return trace
  }

  /// Forgets what is known of addresses of code: other code may be there.
  func forgetCode() {
    functions.forgetCode()
    waits?.forgetCode()
  }

  // MARK: - Parts

  private func installParts(_ hooks: inout HookSet) throws(InterposingError) {
    try hooks.install(
      .before, of: "swift_task_enterThreadLocalContext", "v^v", in: .concurrency, name: "tasks"
    ) { _ in
      guard let task = unsafe cbr_current_task() else { return }
      unsafe self.begin(task)
    }
    try hooks.install(
      .before, of: "swift_task_exitThreadLocalContext", "v^v", in: .concurrency, name: "tasks"
    ) { _ in
      unsafe self.end(cbr_current_task(), self.functions.suspension)
    }
    // The program runs jobs itself: the first of `main`, and those of executors of its own.
    for function in [
      "swift_job_run", "swift_job_run_on_task_executor",
      "swift_job_run_on_serial_and_task_executor", "swift_task_immediate",
    ] {
      try hooks.install(.instead, of: function, "v^v^v^v^v^v", in: .all, name: "tasks") { call in
        let count = Self.partCount
        try call.proceed()
        self.endParts(above: count)
      }
    }
  }

  /// The thread begins to run a part of a task.
  private func begin(_ task: UnsafeRawPointer) {
    // What began at the same place of the stack, or deeper, has ended without a call.
    let stack = unsafe ReentrancyGuard.callerStack
    while let last = unsafe cbr_task_run_last(), unsafe isInside(last.pointee.stack, stack) {
      endLast(.replaced)
    }
    let number = unsafe cbr_task_number(task)
    let known = unsafe functions.known(task, number: number)
    guard let trace = functions.trace(known.trace) else { return }
    if !known.isNamed { unsafe name(task, number, cbr_current_task_name()) }
    let (call, outer) = trace.begin(task: number, job: UInt(bitPattern: task))
    var run = unsafe cbr_task_run(
      task: task, stack: stack, trace: known.trace, words: call.words, outer: outer)
    if unsafe !cbr_task_run_push(&run) { return trace.end(call, outer: outer, .left) }
    waits?.begin(number)
  }

  private func name(_ task: UnsafeRawPointer, _ number: UInt64, _ name: UnsafePointer<CChar>?) {
    unsafe functions.markNamed(task, number: number)
    guard let name = unsafe name else { return }
    queues.name(task: number, unsafe String(cString: name))
  }

  private func isInside(_ stack: UnsafeRawPointer?, _ outer: UnsafeRawPointer?) -> Bool {
    UInt(bitPattern: stack) <= UInt(bitPattern: outer)
  }

  /// The thread ceases to run a task; nil for one that goes elsewhere, which is not the thread's
  /// any more.
  private func end(_ task: UnsafeRawPointer?, _ suspension: TaskSuspension) {
    guard let last = unsafe cbr_task_run_last(), unsafe task == nil || last.pointee.task == task
    else { return }
    endLast(suspension)
  }

  private func endLast(_ suspension: TaskSuspension) {
    guard let last = unsafe cbr_task_run_last() else { return }
    let run = unsafe last.pointee
    cbr_task_run_drop()
    if suspension.isWait { unsafe waits?.end(run.task, suspension) }
    functions.trace(unsafe run.trace)?.end(
      unsafe OpaqueCall(run.words), outer: unsafe run.outer, suspension)
  }

  // MARK: - Jobs

  /// Records that a job of the concurrency library is sent to a queue, unless the filter leaves it
  /// out.
  func submit(job: UnsafeRawPointer, to queue: UnsafeRawPointer?, by way: SubmissionWay) {
    let flags = unsafe cbr_job_flags(job)
    // Other kinds of job are not tasks.
    guard flags & 0xFF == 0 else { return }
    let number = unsafe cbr_task_number(job)
    // `Task.sleep` makes a task of its own, which ends the sleep; its creation is seen only where
    // the program contains the library.
    if way == .taskAfter,
      unsafe ImageFilter.containsLibraries || !functions.known(job, number: number).isCreated
    {
      return unsafe functions.exclude(job, number: number)
    }
    unsafe created(job, number, flags)
    guard let trace = unsafe functions.trace(functions.known(job, number: number).trace) else {
      return
    }
    unsafe queues.submit(
      task: number, flags: flags, running: trace.address, job: UInt(bitPattern: job),
      to: queues.number(of: queue), by: way)
  }

  /// The parts that are in progress on the thread.
  static var partCount: Int { cbr_task_run_count() }

  /// Ends the parts that began while there were so many: the thread has returned from their job.
  func endParts(above count: Int) {
    while cbr_task_run_count() > count { endLast(.left) }
  }

  // MARK: - Creations

  private func installCreations(_ hooks: inout HookSet) throws(InterposingError) {
    // The task and its first context are the result.
    try hooks.install(
      .instead, of: "swift_task_create", "{R=^v^v}Q^v^v^v^v", in: .all, name: "tasks"
    ) { call in
      try self.create(&call) {
        // Of a task that was sent to a queue, that was recorded before it could begin.
        let task = unsafe $0.memory.resultAddress.load(as: UnsafeRawPointer?.self)
        if let task = unsafe task {
          unsafe self.created(task, cbr_task_number(task), cbr_job_flags(task))
        }
      }
    }
    try hooks.install(
      .instead, of: "swift_asyncLet_begin", "v^v^v^v^v^v^v", in: .all, name: "tasks"
    ) { call in
      let storage = unsafe UInt(bitPattern: try call.argument(0, as: UnsafeRawPointer?.self))
      try self.create(&call) { _ in
        self.waits?.created(unsafe cbr_task_current_creation().number, in: storage)
      }
    }
  }

  /// Makes a call that creates a task of its fourth and fifth argument.
  private func create(
    _ call: inout CallFrame, _ end: (borrowing CallFrame) -> Void
  ) throws {
    let code = unsafe functions.code(
      of: try call.argument(3, as: UnsafeRawPointer?.self),
      try call.argument(4, as: UnsafeRawPointer?.self))
    let name = unsafe cbr_task_option_name(try call.argument(1, as: UnsafeRawPointer?.self))
    let outer = unsafe cbr_task_current_creation()
    defer { unsafe cbr_task_set_creation(outer) }
    unsafe try submissions.callers.withCallers { callers in
      unsafe cbr_task_set_creation(
        cbr_task_creation(
          code: code, name: name, callers: callers.baseAddress, caller_count: callers.count,
          number: 0))
      try call.proceed()
      end(call)
    }
  }

  /// Records a task that the thread is creating, or whose creation was not seen, unless that was
  /// done.
  private func created(_ task: UnsafeRawPointer, _ number: UInt64, _ flags: UInt64) {
    guard unsafe !functions.known(task, number: number).isCreated else { return }
    cbr_task_note_created(number)
    let creation = unsafe cbr_task_current_creation()
    unsafe functions.store(task, number: number, running: creation.code)
    if let name = unsafe creation.name { unsafe self.name(task, number, name) }
    guard unsafe creation.caller_count > 0 else { return }
    unsafe queues.create(
      task: number, flags: flags, running: UInt(bitPattern: creation.code),
      by: UnsafeBufferPointer(start: creation.callers, count: creation.caller_count))
  }
}

extension ImageFilter {
  /// Swift's concurrency library.
  static let concurrency = ImageFilter.only("libswift_Concurrency.so*")
}
