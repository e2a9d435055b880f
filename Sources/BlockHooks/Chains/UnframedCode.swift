internal import Invocations

// SAFETY, for the whole file: each call's object is retained when it begins, and released once.

/// A call that is observed without a frame, from its begin to its end.
protocol UnframedCall: AnyObject {
  /// The call ends; not called where it was left by an exception, `longjmp` or the end of its thread.
  func end()
}

/// Code that takes the place of a block's code of whatever signature, and tells of its calls.
final class UnframedCode: Sendable {
  private let code: OpaqueCode

  /// Keeps an object for each call under way.
  private final class Observer: OpaqueCallObserver {
    private let beginCall: @Sendable () -> any UnframedCall

    private final class Call {
      let call: any UnframedCall
      init(_ call: any UnframedCall) { self.call = call }
    }

    init(_ beginCall: @escaping @Sendable () -> any UnframedCall) { self.beginCall = beginCall }

    func begin() -> OpaqueCall {
      let call = unsafe Unmanaged.passRetained(Call(beginCall()))
      let address = unsafe UInt(bitPattern: call.toOpaque())
      return OpaqueCall((UInt64(address), 0, 0))
    }

    func end(_ call: OpaqueCall) { take(call)?.end() }

    func abandon(_ call: OpaqueCall) { _ = take(call) }

    private func take(_ call: OpaqueCall) -> (any UnframedCall)? {
      unsafe UnsafeRawPointer(bitPattern: UInt(call.words.0)).map {
        unsafe Unmanaged<Call>.fromOpaque($0).takeRetainedValue().call
      }
    }
  }

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: The address of the code that calls go on to.
  ///   - begin: Runs where a call begins, on its thread. The object that it returns is kept until the call
  ///     ends, and must keep this code.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be code while calls come in.
  @unsafe
  init(
    original: UnsafeRawPointer, begin: @escaping @Sendable () -> any UnframedCall
  ) throws(InvocationError) {
    code = unsafe try OpaqueCode(original: original, Observer(begin))
  }

  /// The code's address.
  var address: UnsafeRawPointer { unsafe code.address }
}
