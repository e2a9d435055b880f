internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CQueueTracing.QueueAttributes
internal import CallTracing
internal import Invocations
internal import SymbolInterposing

/// Hooks of the functions that create queues, change their targets, cancel blocks and wait.
struct QueueHooks {
  // SAFETY: each hook has the signature that libdispatch declares for its function, in which the
  // arguments and results that are read are pointers to objects that the call keeps alive.

  private let tracer: Tracer
  private let queues: TraceQueues

  /// The callers that are recorded of waits.
  private let callers: CallerSearch

  /// The attributes of concurrent queues: those made of others are as these are.
  private final class Attributes: Sendable {
    private let concurrent: Locked<Set<UInt>>

    init() {
      let first = unsafe UInt(bitPattern: cbr_concurrent_attribute())
      concurrent = Locked([first])
    }

    /// Whether queues with an attribute are serial; nil if that is not known.
    func isSerial(_ attribute: UnsafeRawPointer?) -> Bool? {
      guard let attribute = unsafe attribute else { return true }
      return ForkGate.inside {
        concurrent.withLock { !$0.contains(UInt(bitPattern: attribute)) }
      }
    }

    /// Notes that an attribute was made of another.
    func note(_ attribute: UnsafeRawPointer?, madeOf other: UnsafeRawPointer?) {
      guard unsafe isSerial(other) == false else { return }
      _ = ForkGate.inside {
        concurrent.withLock { $0.insert(UInt(bitPattern: attribute)) }
      }
    }
  }

  private let attributes = Attributes()

  /// Hooks the functions for a tracer.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  static func install(
    _ tracer: Tracer, _ queues: TraceQueues, _ callers: CallerSearch, _ set: inout HookSet
  ) throws(InterposingError) {
    let hooks = QueueHooks(tracer: tracer, queues: queues, callers: callers)
    try hooks.installCreations(&set)
    try hooks.installChanges(&set)
    try hooks.installWaits(&set)
  }

  private func installCreations(_ set: inout HookSet) throws(InterposingError) {
    let (queues, attributes) = (queues, attributes)
    try after(&set, "dispatch_queue_create", "^v^v^v") { call in
      guard let queue = unsafe try call.result(as: UnsafeRawPointer?.self) else { return }
      let attribute = unsafe try call.argument(1, as: UnsafeRawPointer?.self)
      unsafe queues.created(queue, isSerial: attributes.isSerial(attribute), target: nil)
    }
    try after(&set, "dispatch_queue_create_with_target", "^v^v^v^v") { call in
      guard let queue = unsafe try call.result(as: UnsafeRawPointer?.self) else { return }
      let attribute = unsafe try call.argument(1, as: UnsafeRawPointer?.self)
      let target = unsafe try call.argument(2, as: UnsafeRawPointer?.self)
      unsafe queues.created(queue, isSerial: attributes.isSerial(attribute), target: target)
    }
    for function in ["dispatch_workloop_create", "dispatch_workloop_create_inactive"] {
      try after(&set, function, "^v^v") { call in
        guard let queue = unsafe try call.result(as: UnsafeRawPointer?.self) else { return }
        unsafe queues.created(queue, isSerial: true, target: nil)
      }
    }
    let makers = [
      ("initially_inactive", "^v^v"), ("with_autorelease_frequency", "^v^vQ"),
      ("with_overcommit", "^v^vB"), ("with_qos_class", "^v^vIi"),
    ]
    for (name, signature) in makers {
      try after(&set, "dispatch_queue_attr_make_\(name)", signature) { call in
        unsafe attributes.note(
          try call.result(as: UnsafeRawPointer?.self),
          madeOf: try call.argument(0, as: UnsafeRawPointer?.self))
      }
    }
    try after(&set, "dispatch_source_create", "^v^vQQ^v") { call in
      guard let source = unsafe try call.result(as: UnsafeRawPointer?.self) else { return }
      unsafe queues.createdSource(
        source, queue: try call.argument(3, as: UnsafeRawPointer?.self))
    }
  }

  private func installChanges(_ set: inout HookSet) throws(InterposingError) {
    let queues = queues
    try after(&set, "dispatch_set_target_queue", "v^v^v") { call in
      guard let object = unsafe try call.argument(0, as: UnsafeRawPointer?.self) else { return }
      unsafe queues.retargeted(
        object, to: try call.argument(1, as: UnsafeRawPointer?.self))
    }
    try after(&set, "dispatch_block_cancel", "v^v") { call in
      guard let block = unsafe try call.argument(0, as: UnsafeRawPointer?.self),
        let inner = unsafe Block(unsafePointer: block).dispatchedBlock
      else { return }
      unsafe inner.withUnsafePointer {
        queues.cancel(block: UInt(bitPattern: $0), in: UInt(bitPattern: block))
      }
    }
  }

  private func installWaits(_ set: inout HookSet) throws(InterposingError) {
    for function in ["dispatch_group_wait", "dispatch_semaphore_wait", "dispatch_block_wait"] {
      guard
        let imported = try ImportedFunction.ofRuntime(
          function, signature: "q^vQ", in: .withoutDispatch)
      else { continue }
      do throws(InterposingError) {
        try set.install(
          .tracing(with: tracer, .wait, callers: callers, name: "waits"), on: imported)
      } catch {
        guard error.code == .excludedSymbol else { throw error }
      }
    }
  }

  private func after(
    _ set: inout HookSet, _ function: String, _ signature: String,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) {
    try set.install(
      .after, of: function, signature, in: .withoutDispatch, name: "queues", handler)
  }
}

extension ImageFilter {
  /// All images but libdispatch, and Swift's concurrency library too.
  static let withTasks = ImageFilter(
    include: ["*"], exclude: ["libdispatch.so*", "libswiftCore.so", "libstdc++.so*"])
}
