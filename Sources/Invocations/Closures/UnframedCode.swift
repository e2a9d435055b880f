private import CBlockRuntime.OpaqueCalls
internal import TypeEncodings

// SAFETY, for the whole file: the code lives as long as it is entered, and its calls keep it.

/// A call that is observed without a frame, from its begin to its end.
package protocol UnframedCall: AnyObject {
  /// The call ends; not called where it was left by an exception, `longjmp` or the end of its thread.
  func end()
}

/// Code that takes the place of a block's code of whatever signature: its calls go on with all
/// registers and the stack as they are, and are told of.
@safe
package final class UnframedCode: @unchecked Sendable {
  // SAFETY: everything is immutable.

  /// Tells that a call begins, on its thread; what it returns is kept until the call ends.
  package typealias Begin = @Sendable () -> any UnframedCall

  private let begin: Begin
  private let target: UnsafeMutablePointer<cbr_opaque>
  private let stub: FunctionStub

  private final class Call {
    let call: any UnframedCall
    init(_ call: any UnframedCall) { self.call = call }
  }

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: What is called.
  ///   - begin: Tells of each call. What it returns must keep this code.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be code while calls come in.
  @unsafe
  package init(
    original: UnsafeRawPointer, begin: @escaping Begin
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
    self.begin = begin
    unsafe self.target = unsafe target
    self.stub = stub
    unsafe target.initialize(
      to: cbr_opaque(
        code: code, original: original,
        context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        begin: { context, call in
          let code = unsafe Unmanaged<UnframedCode>.fromOpaque(context)
          let begun = unsafe code._withUnsafeGuaranteedRef { Call($0.begin()) }
          unsafe call.pointee.observer = UInt(
            bitPattern: Unmanaged.passRetained(begun).toOpaque())
        },
        end: { _, call in unsafe UnframedCode.take(call)?.end() },
        abandon: { _, call in _ = unsafe UnframedCode.take(call) }))
  }

  deinit { unsafe target.deallocate() }

  /// The code's address.
  package var address: UnsafeRawPointer { unsafe stub.code }

  private static func take(_ call: UnsafeMutablePointer<cbr_opaque_call>) -> (any UnframedCall)? {
    unsafe UnsafeRawPointer(bitPattern: call.pointee.observer).map {
      unsafe Unmanaged<Call>.fromOpaque($0).takeRetainedValue().call
    }
  }
}

extension CallInterface {
  /// What stands for the signature of calls that have no frame; nothing is called by it.
  package static let unframed = try? CallInterface(
    MethodSignature(parsing: "v@?"), usesStructReturn: nil, fixedArgumentCount: nil,
    engine: .current)

  /// Whether calls have a frame.
  package var isFramed: Bool { self !== Self.unframed }
}
