private import CInvocations.OpaqueCalls

/// An object that is notified of calls of code whose signature is unknown.
package protocol OpaqueCallObserver: AnyObject, Sendable {
  /// Called when a call begins, on its thread.
  ///
  /// - Returns: The value that is passed when the call ends.
  func begin() -> OpaqueCall

  /// Called when a call has returned.
  func end(_ call: OpaqueCall)

  /// Called for a call that does not return: when an exception or the end of its thread leaves it,
  /// or some time after `longjmp` has left it.
  func abandon(_ call: OpaqueCall)
}

/// The words that an observer stores for a call in progress: all but the upper half of the last
/// one, which is for an observer that passes the call on to one of several others.
package struct OpaqueCall: Sendable {
  package var words: (UInt64, UInt64, UInt64)

  package init(_ words: (UInt64, UInt64, UInt64)) { self.words = words }

  /// The number of the observer that the call was passed on to; 0 for none.
  package var observer: UInt32 {
    get { UInt32(words.2 >> 32) }
    set { words.2 = words.2 & 0xFFFF_FFFF | UInt64(newValue) << 32 }
  }
}

/// Code that replaces code of any signature: it notifies an observer, and calls the original with
/// all registers and the stack as the caller left them.
///
/// Exceptions, the end of the thread and `longjmp` may leave the original.
@safe
package final class OpaqueCode: @unchecked Sendable {
  // SAFETY: all properties are immutable. The memory of `target` is initialised in `init` and freed
  // in `deinit`; code reads it while calls can enter, when this object must be alive.
  private let observer: any OpaqueCallObserver
  private let target: UnsafeMutablePointer<cbr_opaque>
  private let stub: FunctionStub

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: The code to call.
  ///   - observer: Is notified of the calls; this object retains it.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be code, and this object must be retained, while calls can enter and until
  /// they have ended.
  @unsafe
  package init(
    original: UnsafeRawPointer, _ observer: any OpaqueCallObserver
  ) throws(InvocationError) {
    // SAFETY: the context is this object, which the caller retains while the code is in use. The
    // call's words are valid during each function of the observer.
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
        end: { context, call, _ in
          unsafe OpaqueCode.observer(context).end(OpaqueCall(call.pointee.words))
        },
        abandon: { unsafe OpaqueCode.observer($0).abandon(OpaqueCall($1.pointee.words)) },
        is_of_one_call: false))
  }

  // SAFETY: no call can enter the code any more, and all have ended.
  deinit { unsafe target.deallocate() }

  // SAFETY: the stub lives as long as this object.
  /// The code's address.
  package var address: UnsafeRawPointer { unsafe stub.code }

  private static func observer(_ context: UnsafeRawPointer) -> any OpaqueCallObserver {
    // SAFETY: the context is an `OpaqueCode`, which is retained while calls are in progress.
    unsafe Unmanaged<OpaqueCode>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.observer }
  }
}
