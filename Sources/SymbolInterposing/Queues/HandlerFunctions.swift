private import BlockABI
private import BlockRuntimeThreads
internal import CallTracing
internal import Invocations

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

  /// The code that stands for functions; it is never freed, as sources keep its address.
  private let entries = Locked<[Key: Entry]>([:])

  private struct Entry: Sendable {
    let code: CallEntry

    /// The path of the image that holds the function.
    let image: String?
  }

  init(_ queues: TraceQueues) { self.queues = queues }

  /// The code that stands for a function; nil without executable memory.
  ///
  /// ## Safety
  /// The function must take a context, and be loaded while sources run it.
  @unsafe
  func code(
    for function: UnsafeRawPointer, _ way: SubmissionWay, _ trace: OpaqueCallTrace,
    _ interface: CallInterface
  ) -> UnsafeRawPointer? {
    let key = Key(function: UInt(bitPattern: function), way: way)
    if let known = ForkGate.inside({ entries.withLock { $0[key] } }) ?? nil {
      return unsafe known.code.code
    }
    let image = unsafe CodeSymbol.imagePath(at: function)
    let handler = CallHandler(onError: { _ in }) { [queues] call in
      // SAFETY: the signature is that of functions that take a context.
      let context = unsafe try call.argument(0, as: UnsafeMutableRawPointer?.self)
      guard let function = unsafe UnsafeRawPointer(bitPattern: key.function) else { return }
      let queue = ReentrancyGuard.ignoringThread { queues.current }
      unsafe SubmittedFunction(
        address: function, context: context, trace: .passUnretained(trace)
      ).run(standingAt: Self.place(of: function, way, on: queue))
    }
    // Its memory comes from a pool with a lock.
    let entry = ForkGate.inside {
      try? CallEntry(
        interface, receiver: CallReceiver(interface, hiddenArgumentCount: 0, first: handler),
        .ownCode)
    }
    guard let made = entry ?? nil else { return nil }
    let kept = ForkGate.inside {
      entries.withLock { entries -> CallEntry in
        if let present = entries[key] { return present.code }
        entries[key] = Entry(code: made, image: image)
        // Sources keep its address, also when the trace has ended.
        _ = unsafe Unmanaged.passRetained(made)
        return made
      }
    }
    return unsafe kept?.code
  }

  /// Forgets the functions that were unloaded: other ones may be at their addresses.
  func forgetUnloadedFunctions() {
    let gone = entries.withLock { $0 }.filter { key, entry in
      // SAFETY: the address is only looked up.
      unsafe UnsafeRawPointer(bitPattern: key.function).flatMap {
        unsafe CodeSymbol.imagePath(at: $0)
      } != entry.image
    }
    entries.withLock { entries in for key in gone.keys { entries[key] = nil } }
  }

  /// What stands for the handler in its submission: no address of a block.
  static func place(
    of function: UnsafeRawPointer, _ way: SubmissionWay, on queue: UInt32
  ) -> UInt {
    UInt(way.rawValue) << 60 | UInt(queue & 0x1FFF) << 47
      | UInt(bitPattern: function) & (1 << 47 - 1)
  }
}
