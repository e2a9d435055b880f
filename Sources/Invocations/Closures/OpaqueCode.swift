private import CBlockRuntime.OpaqueCalls

// SAFETY, for the whole file: the observer and the code are never freed; a call is valid while it is told
// of.

/// What is told of the calls of code whose signature is not known; it must outlive the process.
package protocol OpaqueCallObserver: AnyObject, Sendable {
  /// A call begins, on the current thread.
  ///
  /// - Returns: What its end is told.
  func begin() -> OpaqueCall

  /// A call ends.
  func end(_ call: OpaqueCall)

  /// A call does not return: an exception or the end of its thread leaves it, or `longjmp` left it some
  /// time ago.
  func abandon(_ call: OpaqueCall)
}

/// What an observer keeps of a call under way.
package struct OpaqueCall: Sendable {
  /// When it began.
  package let start: UInt64

  /// Where its begin was recorded, if it was.
  package let place: UInt64?

  /// How many observed calls it is inside of, on its thread.
  package let depth: Int32

  /// The observer's own.
  package var number: UInt32 = 0

  package init(start: UInt64, place: UInt64?, depth: Int32) {
    self.start = start
    self.place = place
    self.depth = depth
  }
}

/// Code that takes the place of code whose signature is not known: it tells an observer of the calls,
/// and changes nothing.
///
/// It is never freed. Exceptions, the end of the thread and `longjmp` may leave the original.
@safe
package struct OpaqueCode: Sendable {
  // SAFETY: the address is immutable, its code kept for ever.
  nonisolated(unsafe) package let address: UnsafeRawPointer

  private final class Box {
    let observer: any OpaqueCallObserver

    init(_ observer: any OpaqueCallObserver) { self.observer = observer }

    static func observer(_ context: UnsafeRawPointer) -> any OpaqueCallObserver {
      unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().observer
    }
  }

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: What is called.
  ///   - observer: Is told of the calls; kept for ever.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be code while calls come in.
  @unsafe
  package init(
    original: UnsafeRawPointer, _ observer: any OpaqueCallObserver
  ) throws(InvocationError) {
    guard let code = unsafe cbr_opaque_code() else {
      throw InvocationError(
        .noExecutableMemory, "calls without a signature can be observed on x86-64 only")
    }
    let context = unsafe Unmanaged.passRetained(Box(observer)).toOpaque()
    let target = UnsafeMutablePointer<cbr_opaque>.allocate(capacity: 1)
    unsafe target.initialize(
      to: cbr_opaque(
        code: code, original: original, context: UnsafeRawPointer(context),
        begin: { context, call in
          let begun = unsafe Box.observer(context).begin()
          unsafe call.pointee = cbr_opaque_call(
            observer: 0, start: begun.start, place: begun.place ?? 0, depth: begun.depth,
            number: begun.number, has_place: begun.place != nil)
        },
        end: { context, call in unsafe Box.observer(context).end(OpaqueCall(call.pointee)) },
        abandon: { context, call in
          unsafe Box.observer(context).abandon(OpaqueCall(call.pointee))
        }))
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(target)) else {
      unsafe target.deallocate()
      unsafe Unmanaged<Box>.fromOpaque(context).release()
      throw InvocationError(
        .noExecutableMemory,
        "the system allows no executable memory for code in another's place; see "
          + "ExecutableMemory.support")
    }
    unsafe address = unsafe stub.code
    // The stub's place stays taken.
    _ = unsafe Unmanaged.passRetained(stub)
  }
}

extension OpaqueCall {
  fileprivate init(_ call: cbr_opaque_call) {
    self.init(start: call.start, place: call.has_place ? call.place : nil, depth: call.depth)
    number = call.number
  }
}
