internal import BlockABI
private import BlockRuntimeThreads
internal import CallTracing
internal import Invocations
internal import SymbolInterposing
private import Synchronization

/// The C functions that sources run as their handlers.
///
/// A source gets code that stands for the function: libdispatch decides, as without a trace, which
/// context it passes.
final class HandlerFunctions: Sendable {
  /// A function, and for which kind of handler.
  private struct Key: Hashable {
    let function: UInt
    let way: SubmissionWay
  }

  private let queues: TraceQueues

  /// Sources keep what reads it.
  private final class Recording: Sendable {
    let isOn = Atomic(true)
  }

  private let recording = Recording()

  /// Whether the calls of the functions are recorded.
  var areTraced: Bool {
    get { recording.isOn.load(ordering: .relaxed) }
    set { recording.isOn.store(newValue, ordering: .relaxed) }
  }

  private struct Made: Sendable {
    let standIn: StandIn

    /// The path of the image that holds the function.
    let image: String?
  }

  private struct State: Sendable {
    var entries: [Key: Made] = [:]

    /// How many numbers were given to functions.
    var count: UInt32 = 0
  }

  private let state = Locked(State())

  /// What stands for a function; its code is never freed, as sources keep its address.
  struct StandIn: Sendable {
    fileprivate let entry: CallEntry
    fileprivate let number: UInt32

    // SAFETY: the code is never freed.
    /// The code that a source runs instead of the function.
    var code: UnsafeRawPointer { unsafe entry.code }

    /// What stands for the handler in its submission to a queue: no address of a block.
    func place(on queue: UInt32) -> UInt { HandlerFunctions.place(number, on: queue) }
  }

  /// Addresses of blocks are below half of all numbers, and each function's code takes memory: half
  /// of the numbers of 32 bits are enough.
  private static func place(_ number: UInt32, on queue: UInt32) -> UInt {
    1 << 63 | UInt(number) << 32 | UInt(queue)
  }

  init(_ queues: TraceQueues) { self.queues = queues }

  /// What stands for a function; nil without executable memory.
  ///
  /// ## Safety
  /// The function must take a context, and be loaded while sources run it.
  @unsafe
  func standIn(
    for function: UnsafeRawPointer, _ way: SubmissionWay, _ trace: OpaqueCallTrace,
    _ interface: CallInterface
  ) -> StandIn? {
    let key = Key(function: UInt(bitPattern: function), way: way)
    let found = ForkGate.inside {
      state.withLock { state -> (known: StandIn?, number: UInt32) in
        if let known = state.entries[key] { return (known.standIn, 0) }
        state.count += 1
        return (nil, state.count)
      }
    }
    guard let (known, number) = found else { return nil }
    if let known { return known }
    let image = unsafe CodeSymbol.imagePath(at: function)
    let handler = CallHandler(onError: { _ in }) { [queues, recording] call in
      // SAFETY: the signature is that of functions that take a context.
      let context = unsafe try call.argument(0, as: UnsafeMutableRawPointer?.self)
      guard let function = unsafe UnsafeRawPointer(bitPattern: key.function) else { return }
      guard recording.isOn.load(ordering: .relaxed) else {
        return unsafe unsafeBitCast(function, to: SubmittedFunction.Function.self)(context)
      }
      let queue = ReentrancyGuard.ignoringThread { queues.current }
      unsafe SubmittedFunction(
        address: function, context: context, trace: .passUnretained(trace)
      ).run(standingAt: Self.place(number, on: queue))
    }
    // Its memory comes from a pool with a lock.
    let entry = ForkGate.inside {
      try? CallEntry(
        interface, receiver: CallReceiver(interface, hiddenArgumentCount: 0, first: handler),
        .ownCode)
    }
    guard let made = entry ?? nil else { return nil }
    return ForkGate.inside {
      state.withLock { state -> StandIn in
        if let present = state.entries[key] { return present.standIn }
        let standIn = StandIn(entry: made, number: number)
        state.entries[key] = Made(standIn: standIn, image: image)
        // Sources keep its address, also when the trace has ended.
        _ = unsafe Unmanaged.passRetained(made)
        return standIn
      }
    }
  }

  /// Forgets the functions that were unloaded: other ones may be at their addresses.
  func forgetUnloadedFunctions() {
    let gone = state.withLock { $0.entries }.filter { key, entry in
      // SAFETY: the address is only looked up.
      unsafe UnsafeRawPointer(bitPattern: key.function).flatMap {
        unsafe CodeSymbol.imagePath(at: $0)
      } != entry.image
    }
    state.withLock { state in for key in gone.keys { state.entries[key] = nil } }
  }
}
