private import BlockRuntimeThreads
internal import CBlockTracer
private import CInvocations.OpaqueCalls
internal import CallTracing
internal import Invocations

/// A Swift function whose calls are recorded, with their durations.
///
/// Neither the function's memory nor what its code needs is ever freed.
@safe
struct TimedFunction {
  /// How many functions may be timed.
  static let limit = 4096

  // SAFETY: the memory is never freed, nor changed after `init`.
  /// How the function's calls are led to the code that observes them.
  let target: UnsafePointer<cbr_timed_function>

  /// Times the calls of a function that asks for its replacement; nil where there is no code that
  /// observes them.
  ///
  /// - Parameters:
  ///   - function: The function's code.
  ///   - tracer: Receives the calls.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// The function must be that of an entry, not async, and never be unloaded.
  @unsafe
  init?(_ function: UnsafeRawPointer, with tracer: Tracer) throws(InvocationError) {
    // SAFETY: all memory is initialised before code refers to it, and is never freed.
    guard let observing = unsafe cbr_opaque_code(), let entering = unsafe cbr_timed_code(),
      let trace = unsafe OpaqueCallTrace(tracer, codeAt: function)
    else { return nil }
    let target = UnsafeMutablePointer<cbr_timed_function>.allocate(capacity: 1)
    unsafe target.initialize(
      to: cbr_timed_function(code: entering, function: function, observed: nil))
    let opaque = UnsafeMutablePointer<cbr_opaque>.allocate(capacity: 1)
    // A call that an exception or the thread's end leaves ends there; one that `longjmp` has left
    // ends where that is detected.
    unsafe opaque.initialize(
      to: cbr_opaque(
        code: observing, original: try Self.stub(leadingTo: target),
        context: UnsafeRawPointer(Unmanaged.passRetained(trace).toOpaque()),
        begin: { trace, call in
          ReentrancyGuard.ignoringThread {
            unsafe call.pointee.words = unsafe Unmanaged<OpaqueCallTrace>.fromOpaque(trace)
              ._withUnsafeGuaranteedRef { $0.begin().words }
          }
        },
        end: { trace, call, _ in unsafe TimedFunction.end(trace, call) },
        abandon: { trace, call in unsafe TimedFunction.end(trace, call) }, is_of_one_call: false))
    unsafe target.pointee.observed = unsafe try Self.stub(leadingTo: opaque)
    unsafe self.target = unsafe UnsafePointer(target)
  }

  private static func end(
    _ trace: UnsafeRawPointer, _ call: UnsafeMutablePointer<cbr_opaque_call>
  ) {
    ReentrancyGuard.ignoringThread {
      unsafe Unmanaged<OpaqueCallTrace>.fromOpaque(trace)._withUnsafeGuaranteedRef {
        unsafe $0.end(OpaqueCall(call.pointee.words))
      }
    }
  }

  /// Makes the code of a stub that leads to an entry, and is never freed.
  private static func stub(
    leadingTo entry: UnsafeMutableRawPointer
  ) throws(InvocationError) -> UnsafeRawPointer {
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(entry)) else {
      throw InvocationError(
        .noExecutableMemory,
        "the system allows no executable memory, which timed functions need; count their calls")
    }
    return unsafe Unmanaged.passRetained(stub)._withUnsafeGuaranteedRef { unsafe $0.code }
  }
}
