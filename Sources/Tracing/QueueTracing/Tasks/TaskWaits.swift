private import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CBlockRuntimeThreads.AddressTable
private import CQueueTracing.TaskRuns
private import CQueueTracing.TaskWaits
internal import CallTracing
internal import Invocations
internal import SymbolInterposing

/// Records what tasks wait for: the actors that they go on on, the tasks whose results they await,
/// the functions in which they are suspended, and who resumes their continuations.
///
/// Waits are seen where the program, or a library that is not Swift's own, calls the concurrency
/// library. Most of these functions do not return to their callers, so handlers run before them.
@safe
final class TaskWaits: Sendable {
  // SAFETY: the tables are freed with this object. The hooks have the signatures of the functions.
  // A thread runs a task that is alive, on an actor that is alive; other addresses are looked up.

  private let queues: TraceQueues
  private let functions: TaskFunctions

  /// The numbers of tasks that `async let` created, by the addresses of their storage.
  nonisolated(unsafe) private let asyncLets: UnsafeMutablePointer<cbr_address_table>

  /// The numbers of the types of actors, by the addresses of their metadata, and of the main actor.
  nonisolated(unsafe) private let types: UnsafeMutablePointer<cbr_address_table>

  /// How many functions are recorded of a wait.
  private static let functionLimit = 8

  /// Prepares the records; nil without memory, or if Swift's library is not as this one knows it.
  init?(_ queues: TraceQueues, _ functions: TaskFunctions) {
    guard cbr_knows_task_layout(), let asyncLets = unsafe cbr_address_table_create(16) else {
      return nil
    }
    guard let types = unsafe cbr_address_table_create(12) else {
      unsafe cbr_address_table_free(asyncLets)
      return nil
    }
    (self.queues, self.functions) = (queues, functions)
    unsafe (self.asyncLets, self.types) = unsafe (asyncLets, types)
  }

  deinit {
    unsafe cbr_address_table_free(asyncLets)
    unsafe cbr_address_table_free(types)
  }

  /// Forgets what is known of addresses of code: other code may be there.
  func forgetCode() { unsafe cbr_address_clear(types) }

  /// Hooks the functions in which tasks wait, and those that resume them.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  func install(_ hooks: inout HookSet) throws(InterposingError) {
    try before(&hooks, "swift_task_switch", "v^v^v^v") { call in
      guard let task = unsafe cbr_task_run_last()?.pointee.task, unsafe task == cbr_current_task()
      else { return }
      let actor = unsafe try call.argument(1, as: UnsafeRawPointer?.self)
      guard unsafe actor != cbr_current_actor() else { return }
      unsafe cbr_task_set_wait(cbr_task_wait(actor: actor, task: 0))
      // Recorded as if the task continued; `end` corrects it if it is suspended.
      unsafe self.queues.run(task: cbr_task_number(task), on: self.actor(at: actor))
    }
    // `Task.value` and `Task.result`.
    for getter in [
      "$sScT5valuexvg", "$sScTss5NeverORs_rlE5valuexvg", "$sScT6results6ResultOyxq_Gvg",
    ] {
      try before(&hooks, getter, "v^v^v^v^v") { call in
        guard let task = unsafe try call.argument(1, as: UnsafeRawPointer?.self) else { return }
        unsafe cbr_task_set_wait(cbr_task_wait(actor: nil, task: cbr_task_number(task)))
      }
    }
    for function in ["get", "get_throwing", "finish", "consume", "consume_throwing"] {
      try before(&hooks, "swift_asyncLet_\(function)", "v^v^v^v^v") { call in
        let storage = unsafe UInt(bitPattern: try call.argument(0, as: UnsafeRawPointer?.self))
        unsafe cbr_task_set_wait(
          cbr_task_wait(actor: nil, task: cbr_address_word(self.asyncLets, storage)))
      }
    }
    try installResumptions(&hooks)
  }

  private func installResumptions(_ hooks: inout HookSet) throws(InterposingError) {
    guard let resumers = CallerSearch.ofInterposed(count: 1) else { return }
    // The methods of `UnsafeContinuation` are parts of their callers, and call these.
    for function in ["resume", "throwingResume", "throwingResumeWithError"] {
      try before(&hooks, "swift_continuation_\(function)", "v^v^v") { call in
        unsafe self.resume(try call.argument(0, as: UnsafeRawPointer?.self), resumers)
      }
    }
    // `resume(returning:)` and `resume(throwing:)` of `CheckedContinuation`: a reference to an
    // object that has the task behind its head until it is resumed.
    for method in ["$sScC6resume9returningyxn_tF", "$sScC6resume8throwingyq_n_tF"] {
      try before(&hooks, method, "v^v^v") { _ in
        guard let continuation = unsafe ReentrancyGuard.callerSelf,
          let object = unsafe continuation.load(as: UnsafeRawPointer?.self)
        else { return }
        unsafe self.resume(
          object.load(fromByteOffset: Self.headSize, as: UnsafeRawPointer?.self), resumers)
      }
    }
  }

  /// The size of an object's head.
  private static let headSize = 16

  private func before(
    _ hooks: inout HookSet, _ function: String, _ signature: String,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) {
    do throws(InterposingError) {
      try hooks.install(
        .before, of: function, signature, in: .all, goesOn: true, name: "tasks", handler)
    } catch {
      // A call through libffi must return, and these need not: without generated code they are not
      // seen.
      guard error.code == .unsupportedType else { throw error }
    }
  }

  // MARK: - Waits

  /// Notes that `async let` has created a task.
  func created(_ task: UInt64, in storage: UInt) {
    _ = unsafe cbr_address_store(asyncLets, storage, task)
  }

  /// Records that the thread begins a part of a task, on its actor.
  func begin(_ task: UInt64) {
    _ = unsafe cbr_task_take_wait()
    guard let actor = unsafe cbr_current_actor() else { return }
    unsafe queues.run(task: task, on: self.actor(at: actor))
  }

  /// Records where a task waits that the thread has suspended, and for what.
  func end(_ task: UnsafeRawPointer, _ suspension: TaskSuspension) {
    let next = unsafe cbr_task_take_wait()
    let actor =
      suspension == .executor ? unsafe self.actor(at: next.actor) : TraceQueues.Actor.none
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeRawPointer?.self, capacity: Self.functionLimit
    ) { functions in
      guard let start = functions.baseAddress else { return }
      unsafe functions.initialize(repeating: nil)
      let count = unsafe cbr_task_functions(task, start, Self.functionLimit)
      // These are first addresses; lookup subtracts one, as from return addresses.
      for index in 0..<count { unsafe start[index] = unsafe start[index].map { unsafe $0 + 1 } }
      unsafe queues.wait(
        task: cbr_task_number(task), for: actor, task: suspension == .task ? next.task : 0,
        in: UnsafeBufferPointer(start: start, count: count))
    }
  }

  /// Records that a task's continuation is resumed, if the task is known.
  private func resume(_ task: UnsafeRawPointer?, _ resumers: CallerSearch) {
    guard let task = unsafe task, let number = unsafe functions.number(of: task) else { return }
    unsafe resumers.withCallers { unsafe queues.resume(task: number, by: $0) }
  }

  // MARK: - Actors

  private func actor(at address: UnsafeRawPointer?) -> TraceQueues.Actor {
    guard let address = unsafe address else { return .none }
    return TraceQueues.Actor(
      address: UInt(bitPattern: address), type: unsafe type(of: address))
  }

  /// The number of an actor's type; 0 if there is no room.
  private func type(of actor: UnsafeRawPointer) -> UInt32 {
    let metadata = unsafe actor.load(as: UInt.self)
    let known = unsafe cbr_address_word(types, metadata)
    if known != 0 { return UInt32(truncatingIfNeeded: known) }
    guard unsafe cbr_address_reserve(types, metadata),
      let number = queues.describe(actorType: unsafe name(ofTypeAt: metadata, actor))
    else { return 0 }
    return unsafe UInt32(
      truncatingIfNeeded: cbr_address_claim(types, metadata, UInt64(number)))
  }

  private func name(ofTypeAt metadata: UInt, _ actor: UnsafeRawPointer) -> String {
    // The runtime has locks, which a fork of another thread must not leave taken.
    let name = ForkGate.inside { () -> String in
      if unsafe actor == cbr_main_actor() { return "MainActor" }
      guard let type = unsafe UnsafeRawPointer(bitPattern: metadata),
        unsafe type.load(as: UInt.self) == Self.classKind
      else { return "an executor" }
      return unsafe _typeName(unsafeBitCast(type, to: Any.Type.self), qualified: false)
    }
    return name ?? "an actor"
  }

  /// The first word of a class's metadata (`MetadataKind` in Swift's ABI/MetadataKind.def).
  private static let classKind: UInt = 0
}
