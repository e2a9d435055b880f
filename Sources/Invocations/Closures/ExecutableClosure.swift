private import CBlockRuntime.DeferredRelease
private import CFFI
private import Synchronization
internal import TypeEncodings

// SAFETY, for the whole file: libffi keeps a closure valid from its preparation to its end; the
// receiver owns it.

/// What runs when generated code is entered.
package protocol CallReceiver: AnyObject {
  /// Handles one call, on the caller's thread and under no lock.
  ///
  /// What is returned keeps what the result points to; it is released with the thread's next such
  /// result, after everything else that belongs to this call.
  ///
  /// ## Safety
  /// Both pointers are valid until this returns: the address of each argument, and memory for the
  /// result.
  @unsafe
  func receive(
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) -> AnyObject?
}

/// A piece of code made at run time that hands its calls to a receiver.
///
/// The corresponding libffi type is `ffi_closure`.
@safe
package final class ExecutableClosure: @unchecked Sendable {
  // SAFETY: everything is set in the initialiser; receivers are safe from any thread.

  /// The code's address: a function of the interface's signature.
  package let code: UnsafeRawPointer

  private let memory: ClosureMemory.Allocation
  private let context: Context

  /// What the code finds its receiver by.
  ///
  /// The receiver owns its closure, so the reference back is
  /// unowned; it is retained for the duration of every call.
  private final class Context {
    let interface: CallInterface
    unowned(unsafe) let receiver: any CallReceiver

    init(_ interface: CallInterface, _ receiver: any CallReceiver) {
      self.interface = interface
      unsafe self.receiver = receiver
    }
  }

  /// Makes code for a signature.
  ///
  /// - Parameters:
  ///   - interface: The signature of the code.
  ///   - receiver: Gets the calls; it must own the closure, and live while the code may be entered.
  /// - Throws: `noExecutableMemory`.
  package init(_ interface: CallInterface, receiver: any CallReceiver) throws(InvocationError) {
    RetiredClosures.free()
    let memory = unsafe try ClosureMemory.allocate()
    let context = Context(interface, receiver)
    let entry:
      @convention(c) (
        UnsafeMutablePointer<ffi_cif>?, UnsafeMutableRawPointer?,
        UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer?
      ) -> Void = { _, result, arguments, context in
        guard let result = unsafe result, let context = unsafe context else { return }
        unsafe ExecutableClosure.enter(context, arguments, result)
      }
    let status = unsafe ffi_prep_closure_loc(
      memory.closure.assumingMemoryBound(to: ffi_closure.self),
      interface.closureAddress.assumingMemoryBound(to: ffi_cif.self), entry,
      Unmanaged.passUnretained(context).toOpaque(), memory.code)
    guard status == FFI_OK else {
      unsafe ClosureMemory.discard(memory)
      throw InvocationError(
        .unsupportedType,
        "libffi refuses a closure of \(interface.signature) (status \(status.rawValue))")
    }
    unsafe code = unsafe UnsafeRawPointer(memory.code)
    unsafe self.memory = unsafe memory
    self.context = context
  }

  deinit { unsafe RetiredClosures.retire(unsafe memory) }

  private static func enter(
    _ opaque: UnsafeMutableRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) {
    // Last: whatever the call gives up may return objects of its own when it ends.
    if let owner = unsafe deliver(opaque, arguments, result) {
      unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque())
    }
  }

  /// Hands a call to the receiver, which is retained for its duration.
  private static func deliver(
    _ opaque: UnsafeMutableRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) -> AnyObject? {
    // SAFETY: the closure keeps its context, and whoever may enter the code keeps the receiver.
    let context = unsafe Unmanaged<Context>.fromOpaque(opaque).takeUnretainedValue()
    let receiver = unsafe context.receiver
    let interface = context.interface
    return withExtendedLifetime(receiver) {
      unsafe withAllArguments(of: interface, arguments) { all in
        unsafe receiver.receive(all, result)
      }
    }
  }

  /// Gives empty records, which libffi is not told of, an address of their own.
  private static func withAllArguments(
    of interface: CallInterface, _ passed: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> AnyObject?
  ) -> AnyObject? {
    if interface.passesEveryArgument, let passed = unsafe passed { return unsafe body(passed) }
    let count = interface.signature.arguments.count
    return unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: count + 1
    ) {
      all in
      // SAFETY: there is one place more than arguments; its own address serves for empty records.
      let empty = unsafe UnsafeMutableRawPointer(all.baseAddress.unsafelyUnwrapped + count)
      unsafe all.initialize(repeating: empty)
      if let passed = unsafe passed {
        for (place, index) in interface.passedArguments.enumerated() {
          unsafe all[index] = unsafe passed[place]
        }
      }
      return unsafe body(all.baseAddress.unsafelyUnwrapped)
    }
  }
}

/// Closures whose last reference is gone, freed when the next one is made.
///
/// A closure may be given up by its own call. libffi forbids freeing one that is being executed, and
/// by the time another is made the entry that gave it up has long left its handler.
private enum RetiredClosures {
  @safe
  private struct Closure: @unchecked Sendable {
    // SAFETY: nobody else refers to the memory any more.
    let memory: ClosureMemory.Allocation
  }

  private static let retired = Mutex<[Closure]>([])

  static func retire(_ memory: ClosureMemory.Allocation) {
    retired.withLock { unsafe $0.append(Closure(memory: memory)) }
  }

  static func free() {
    let closures = retired.withLock { list in
      defer { list.removeAll(keepingCapacity: true) }
      return list
    }
    for closure in closures { unsafe ClosureMemory.free(closure.memory) }
  }
}
