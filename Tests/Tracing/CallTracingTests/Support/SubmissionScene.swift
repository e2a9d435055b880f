import BlockABI
import BlockHooks
import CallTracing
import Dispatch
import Invocations
import XCTest

/// A tracer whose queues a test tells what was sent, and what ran, without any program.
@safe
final class SubmissionScene: @unchecked Sendable {
  // SAFETY: only the test's own thread reads the stream.
  let ends: TraceStreamEnds
  let tracer: Tracer
  let queues: TraceQueues
  private let code: OpaqueCallTrace
  private let taskCode: OpaqueCallTrace
  private let interface: CallInterface

  // SAFETY: the address is only looked up.
  /// The address of the code of all blocks of the scene.
  static let address = unsafe UInt(bitPattern: dlsym(nil, "swift_demangle"))

  init(
    _ test: XCTestCase, capacity: Int = 1 << 20, clock: any Clock<Duration> = TraceOptions().clock
  ) throws {
    ends = try TraceStreamEnds(test, capacity: capacity)
    var options = TraceOptions()
    options.clock = clock
    tracer = Tracer(ends.writer, options: options)
    queues = try XCTUnwrap(tracer.queues)
    interface = try CallInterface.of("v^v")
    let address = unsafe UnsafeRawPointer(bitPattern: Self.address)
    code = unsafe try XCTUnwrap(OpaqueCallTrace(tracer, functionAt: address, interface))
    taskCode = unsafe try XCTUnwrap(
      OpaqueCallTrace(tracer, functionAt: nil, CallInterface.of("v"), isTask: true))
  }

  // MARK: Queues

  /// A queue and its number in the stream.
  @safe
  struct Queue: Sendable {
    // SAFETY: the address is that of the queue.
    let queue: DispatchQueue
    nonisolated(unsafe) let address: UnsafeRawPointer
    let number: UInt32
  }

  /// Makes a queue that the stream describes.
  func queue(
    _ label: String, isSerial: Bool? = true, target: Queue? = nil
  ) throws -> Queue {
    let queue = DispatchQueue(label: label)
    let address = unsafe try Self.address(of: queue)
    unsafe queues.created(address, isSerial: isSerial, target: target?.address)
    return unsafe Queue(queue: queue, address: address, number: queues.number(of: address))
  }

  /// The address of the queue itself, which Swift's objects contain.
  static func address(of queue: DispatchQueue) throws -> UnsafeRawPointer {
    let current = unsafe try CFunction(symbol: "dispatch_get_current_queue", signature: "^v")
    let address = unsafe try queue.sync { unsafe try current() as UnsafeRawPointer? }
    return unsafe try XCTUnwrap(address)
  }

  // MARK: Blocks

  /// The address of the block that is made around one, by which that is cancelled.
  static func wrapper(of block: UInt) -> UInt { block + 0x1000 }

  /// Records that a block is sent.
  func send(
    _ block: UInt, to queue: UInt32, by way: SubmissionWay = .async, count: Int = 1,
    from caller: UInt = SubmissionScene.address + 1
  ) {
    let callers = unsafe [UnsafeRawPointer(bitPattern: caller)]
    unsafe callers.withUnsafeBufferPointer {
      unsafe queues.submit(
        block: block, code: Self.address, in: Self.wrapper(of: block), to: queue, by: way,
        count: count, from: $0)
    }
  }

  /// Records a call of a block on the queue.
  func run(_ block: UInt, on queue: Queue, _ body: () -> Void = {}) {
    queue.queue.sync { run(block, body) }
  }

  /// Records a call of a block on this thread.
  func run(_ block: UInt, _ body: () -> Void = {}) {
    let call = code.begin(block: block, block)
    body()
    code.end(call)
  }

  /// Records a part of a task.
  func part(of task: UInt64, job: UInt, _ suspension: TaskSuspension, _ body: () -> Void = {}) {
    let (call, outer) = taskCode.begin(task: task, job: job)
    body()
    taskCode.end(call, outer: outer, suspension)
  }

  /// An actor of a type that the stream describes.
  func actor(_ type: String, at address: UInt) throws -> TraceQueues.Actor {
    TraceQueues.Actor(address: address, type: try XCTUnwrap(queues.describe(actorType: type)))
  }

  /// Records what a task waits for whose part ends next, in the function of the scene's blocks.
  func wait(_ task: UInt64, for actor: TraceQueues.Actor, task awaited: UInt64 = 0) {
    let functions = unsafe [UnsafeRawPointer(bitPattern: Self.address + 1)]
    unsafe functions.withUnsafeBufferPointer {
      unsafe queues.wait(task: task, for: actor, task: awaited, in: $0)
    }
  }

  // MARK: Reading

  /// The records that the stream has now.
  func records() throws -> [TraceRecord] { try ends.reader.read() }

  /// The blocks that have not begun.
  func pending() -> [TraceRecord] { ends.reader.pendingRecords(at: ends.reader.latest + 10) }

  /// How much a queue had to do.
  func load(_ label: String) -> QueueLoad? {
    ends.reader.queueLoads.first { $0.queue.label == label }?.load
  }
}

extension TraceRecord {
  /// The block that the scene's call was of.
  var block: String? { arguments.first }
}
