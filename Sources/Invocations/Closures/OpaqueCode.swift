private import CInvocations.OpaqueCalls

// SAFETY, for the whole file: the code keeps its observer, and is kept while it may be entered; a call is
// valid while it is told of.

/// What is told of the calls of code whose signature is not known.
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

/// What an observer keeps of a call under way: words of its own.
package struct OpaqueCall: Sendable {
  package var words: (UInt64, UInt64, UInt64)

  package init(_ words: (UInt64, UInt64, UInt64)) { self.words = words }
}

/// Code that takes the place of code of whatever signature: its calls go on with all registers and
/// the stack as they are, and an observer is told of them.
///
/// Exceptions, the end of the thread and `longjmp` may leave the original.
@safe
package final class OpaqueCode: @unchecked Sendable {
  // SAFETY: everything is immutable.
  private let observer: any OpaqueCallObserver
  private let target: UnsafeMutablePointer<cbr_opaque>
  private let stub: FunctionStub

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: What is called.
  ///   - observer: Is told of the calls; kept.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be code, and this object must be kept, while calls come in.
  @unsafe
  package init(
    original: UnsafeRawPointer, _ observer: any OpaqueCallObserver
  ) throws(InvocationError) {
    guard let code = unsafe cbr_opaque_code() else {
      throw InvocationError(
        .noExecutableMemory, "calls are observed without a frame on x86-64 only")
    }
    let target = UnsafeMutablePointer<cbr_opaque>.allocate(capacity: 1)
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(target)) else {
      unsafe target.deallocate()
      throw InvocationError(
        .noExecutableMemory,
        "the system allows no executable memory for code in another's place; see "
          + "ExecutableMemory.support")
    }
    self.observer = observer
    unsafe self.target = unsafe target
    self.stub = stub
    unsafe target.initialize(
      to: cbr_opaque(
        code: code, original: original,
        context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        begin: { unsafe $1.pointee.words = OpaqueCode.observer($0).begin().words },
        end: { unsafe OpaqueCode.observer($0).end(OpaqueCall($1.pointee.words)) },
        abandon: { unsafe OpaqueCode.observer($0).abandon(OpaqueCall($1.pointee.words)) }))
  }

  deinit { unsafe target.deallocate() }

  /// The code's address.
  package var address: UnsafeRawPointer { unsafe stub.code }

  private static func observer(_ context: UnsafeRawPointer) -> any OpaqueCallObserver {
    unsafe Unmanaged<OpaqueCode>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.observer }
  }
}
