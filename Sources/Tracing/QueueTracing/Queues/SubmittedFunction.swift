private import BlockRuntimeThreads
internal import CallTracing
internal import Invocations

/// A C function that was sent to a queue with its context, in memory that takes the context's
/// place: the function of this library that takes the function's place records the call.
@safe
struct SubmittedFunction {
  // SAFETY: whoever sends the function vouches for its type; the memory of one that runs once is
  // freed when it runs, and that of others by its owner.

  typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
  typealias Iteration = @convention(c) (UnsafeMutableRawPointer?, Int) -> Void

  /// The function.
  let address: UnsafeRawPointer
  let context: UnsafeMutableRawPointer?

  /// Records the calls; retained for a function that runs once, else by its owner.
  let trace: Unmanaged<OpaqueCallTrace>

  /// Runs a function once, and frees its memory.
  static let runOnce: Function = { memory in
    guard let memory = unsafe memory?.assumingMemoryBound(to: Self.self) else { return }
    let function = unsafe memory.pointee
    ReentrancyGuard.ignoringThread { unsafe memory.deallocate() }
    function.run(standingAt: UInt(bitPattern: memory))
    ReentrancyGuard.ignoringThread { unsafe function.trace.release() }
  }

  /// Runs a function whose sender owns the memory.
  static let run: Function = { memory in
    guard let memory = unsafe memory?.assumingMemoryBound(to: Self.self) else { return }
    unsafe memory.pointee.run(standingAt: UInt(bitPattern: memory))
  }

  /// Runs one iteration of a function whose sender owns the memory.
  static let iterate: Iteration = { memory, index in
    guard let memory = unsafe memory?.assumingMemoryBound(to: Self.self) else { return }
    let function = unsafe memory.pointee
    let call = function.begin(standingAt: UInt(bitPattern: memory), UInt(bitPattern: index))
    unsafe unsafeBitCast(function.address, to: Iteration.self)(function.context, index)
    function.end(call)
  }

  /// Runs the function.
  ///
  /// - Parameter place: The address that stands for it in its submission.
  func run(standingAt place: UInt) {
    let call = begin(standingAt: place)
    unsafe unsafeBitCast(address, to: Function.self)(context)
    end(call)
  }

  private func begin(standingAt place: UInt, _ index: UInt = 0) -> OpaqueCall {
    ReentrancyGuard.ignoringThread {
      unsafe trace._withUnsafeGuaranteedRef {
        $0.begin(block: place, unsafe UInt(bitPattern: context), index)
      }
    }
  }

  private func end(_ call: OpaqueCall) {
    ReentrancyGuard.ignoringThread { unsafe trace._withUnsafeGuaranteedRef { $0.end(call) } }
  }
}

extension UnsafeMutablePointer {
  /// Stores a value in memory of its own.
  static func allocate(for value: Pointee) -> Self {
    let memory = Self.allocate(capacity: 1)
    unsafe memory.initialize(to: value)
    return unsafe memory
  }
}
