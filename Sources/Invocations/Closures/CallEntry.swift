private import CBlockRuntime.DeferredRelease
private import CBlockRuntime.RunningCalls
private import Synchronization

// SAFETY, for the whole file: the entry's memory is written here only, but for its two words that
// are replaced atomically; an image is valid for one call.

/// Code that hands its calls to a receiver, which can be replaced while calls come in.
@safe
package final class CallEntry: @unchecked Sendable {
  // SAFETY: the receiver is replaced under the lock; everything else is immutable.

  /// How calls find the entry.
  package enum Way {
    /// Through the code that all hooked blocks share, and the block's own descriptor. Where the
    /// engine is libffi, code of its own is made, and the descriptor not used.
    case blockDescriptor
    /// Through code of its own.
    case ownCode
  }

  package let interface: CallInterface

  /// The code's address: a function of the interface's signature.
  package let code: UnsafeRawPointer

  private let entry: UnsafeMutablePointer<cbr_entry>
  private let receiver: Mutex<CallReceiver>

  /// What makes the code, and keeps it.
  private enum Maker {
    case shared
    case stub(FunctionStub)
    case closure(ExecutableClosure)
  }

  private let maker: Maker

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - interface: The signature of the code.
  ///   - receiver: Gets the calls, unless `passage` is given.
  ///   - passage: Where calls go at once.
  ///   - way: How calls find the entry.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  package init(
    _ interface: CallInterface, receiver: CallReceiver, passage: UnsafeRawPointer? = nil, _ way: Way
  ) throws(InvocationError) {
    self.interface = interface
    self.receiver = Mutex(receiver)
    let plan = unsafe interface.plan
    let entry = UnsafeMutablePointer<cbr_entry>.allocate(capacity: 1)
    unsafe entry.initialize(
      to: cbr_entry(
        code: cbr_function_entry_code(),
        handler: plan.pointee.needsCopy ? enterCopying : enter, passage: passage,
        receiver: Unmanaged.passUnretained(receiver).toOpaque(), floats: plan.pointee.floats))
    do throws(InvocationError) {
      maker =
        switch way {
        case .blockDescriptor where interface.engine == .plans: .shared
        default: unsafe try Self.makeCode(interface, entry)
        }
    } catch {
      unsafe entry.deallocate()
      throw error
    }
    unsafe code =
      switch maker {
      case .shared: unsafe cbr_block_entry_code(plan.pointee.returnsThroughMemory)
      case .stub(let stub): unsafe stub.code
      case .closure(let closure): unsafe closure.code
      }
    unsafe self.entry = unsafe entry
  }

  private static func makeCode(
    _ interface: CallInterface, _ entry: UnsafeMutablePointer<cbr_entry>
  ) throws(InvocationError) -> Maker {
    if interface.engine == .plans, let stub = unsafe FunctionStub(leadingTo: entry) {
      return .stub(stub)
    }
    return .closure(unsafe try ExecutableClosure(interface, context: entry))
  }

  deinit {
    // A call that is under way has read the entry, and uses the receiver only.
    RunningCalls.release(receiver.withLock { $0 })
    unsafe entry.deallocate()
  }

  /// The address that a block's descriptor holds for the shared code.
  package var address: UnsafeRawPointer { unsafe UnsafeRawPointer(entry) }

  /// Gives later calls to another receiver.
  ///
  /// - Parameters:
  ///   - receiver: Gets the calls.
  ///   - passage: Where calls go at once instead, if given.
  /// - Returns: The receiver before. Let go of it through `RunningCalls.release`, under no lock.
  package func replaceReceiver(
    with receiver: CallReceiver, passage: UnsafeRawPointer?
  ) -> CallReceiver {
    let old = self.receiver.withLock { current in
      defer { current = receiver }
      unsafe cbr_entry_set_receiver(entry, Unmanaged.passUnretained(receiver).toOpaque())
      unsafe cbr_entry_set_passage(entry, passage)
      return current
    }
    return old
  }
}
