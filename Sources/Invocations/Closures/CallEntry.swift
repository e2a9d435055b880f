private import BlockRuntimeThreads
private import CInvocations.DeferredRelease
private import CInvocations.HazardPointers

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
  private let receiver: Locked<CallReceiver>

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
  ///   - receiver: Gets the calls.
  ///   - way: How calls find the entry.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  package init(
    _ interface: CallInterface, receiver: CallReceiver, _ way: Way
  ) throws(InvocationError) {
    self.interface = interface
    self.receiver = Locked(receiver)
    let plan = unsafe interface.plan
    let entry = UnsafeMutablePointer<cbr_entry>.allocate(capacity: 1)
    unsafe entry.initialize(
      to: cbr_entry(
        code: cbr_function_entry_code(EnteredCall.isNarrow(plan)),
        handler: EnteredCall.handler(plan), receiver: receiver.address,
        floats: plan.pointee.floats))
    // Published as its successors are: who enters first has no other word of what it refers to.
    _ = unsafe cbr_slot_exchange(cbr_entry_receiver(entry), receiver.address)
    do throws(InvocationError) {
      unsafe (maker, code) = unsafe try Self.makeCode(interface, entry, way)
    } catch {
      unsafe entry.deallocate()
      throw error
    }
    unsafe self.entry = unsafe entry
  }

  private static func makeCode(
    _ interface: CallInterface, _ entry: UnsafeMutablePointer<cbr_entry>, _ way: Way
  ) throws(InvocationError) -> (Maker, UnsafeRawPointer) {
    if interface.engine == .plans {
      let plan = unsafe interface.plan
      if way == .blockDescriptor,
        let code = unsafe cbr_block_entry_code(
          plan.pointee.returnsThroughMemory, EnteredCall.isNarrow(plan))
      {
        return unsafe (.shared, code)
      }
      if let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(entry)) {
        return unsafe (.stub(stub), stub.code)
      }
    }
    let closure = unsafe try ExecutableClosure(interface, context: entry)
    return unsafe (.closure(closure), closure.code)
  }

  deinit {
    // A call that is under way has read the entry, and uses the receiver only.
    HazardPointers.retire(receiver.withLock { $0 })
    unsafe entry.deallocate()
  }

  /// The address that a block's descriptor holds for the shared code.
  package var address: UnsafeRawPointer { unsafe UnsafeRawPointer(entry) }

  /// Gives later calls to another receiver.
  ///
  /// - Parameter receiver: Gets the calls.
  /// - Returns: The receiver before. Let go of it through `HazardPointers.retire`, under no lock.
  package func replaceReceiver(with receiver: CallReceiver) -> CallReceiver {
    self.receiver.withLock { current in
      defer { current = receiver }
      _ = unsafe cbr_slot_exchange(cbr_entry_receiver(entry), receiver.address)
      return current
    }
  }
}
