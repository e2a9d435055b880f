private import BlockRuntimeThreads
private import CInvocations.DeferredRelease
private import CInvocations.HazardPointers

/// Code whose calls go to a receiver, which can be replaced while calls enter.
@safe
package final class CallEntry: @unchecked Sendable {
  // SAFETY: the entry's receiver is replaced under the lock, and loaded and stored atomically;
  // everything else is immutable. The memory of `entry` is freed in `deinit`.

  /// How calls find the entry.
  package enum Way {
    /// Through the code that all hooked blocks share, and the block's own descriptor. With libffi,
    /// or on a processor without such code, the entry has code of its own, which does not use the
    /// descriptor.
    case blockDescriptor
    /// Through code of its own.
    case ownCode
  }

  package let interface: CallInterface

  /// The code's address: a function of the interface's signature.
  package let code: UnsafeRawPointer

  private let entry: UnsafeMutablePointer<cbr_entry>
  private let receiver: GatedLock<CallReceiver>

  /// The owner of the entry's code, which the entry retains.
  private enum CodeOwner {
    case shared
    case stub(FunctionStub)
    case closure(ExecutableClosure)
  }

  private let codeOwner: CodeOwner

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - interface: The signature of the code.
  ///   - receiver: Receives the calls.
  ///   - way: How calls find the entry.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  package init(
    _ interface: CallInterface, receiver: CallReceiver, _ way: Way
  ) throws(InvocationError) {
    self.interface = interface
    self.receiver = GatedLock(receiver)
    // SAFETY: the plan lives as long as the interface, which this object retains, and the
    // receiver's target as long as the receiver.
    let plan = unsafe interface.plan
    let entry = UnsafeMutablePointer<cbr_entry>.allocate(capacity: 1)
    unsafe entry.initialize(
      to: cbr_entry(
        code: plan.pointee.isVariadic
          ? cbr_variadic_entry_code()
          : cbr_function_entry_code(EnteredCall.isNarrow(plan), UInt32(plan.pointee.vectorBytes)),
        run: EnteredCall.run(plan), receiver: receiver.address,
        floats: plan.pointee.floats))
    // Stored with release ordering, like its successors: nothing else orders the receiver's
    // initialisation before the first call.
    _ = unsafe cbr_slot_exchange(cbr_entry_receiver(entry), receiver.address)
    do throws(InvocationError) {
      unsafe (codeOwner, code) = unsafe try Self.makeCode(interface, entry, way)
    } catch {
      // SAFETY: no code refers to the entry.
      unsafe entry.deallocate()
      throw error
    }
    unsafe self.entry = unsafe entry
  }

  private static func makeCode(
    _ interface: CallInterface, _ entry: UnsafeMutablePointer<cbr_entry>, _ way: Way
  ) throws(InvocationError) -> (CodeOwner, UnsafeRawPointer) {
    // SAFETY: the entry lives as long as the code: `CallEntry` frees it in its `deinit`, when the
    // code must not be called any more.
    if interface.engine == .plans {
      let plan = unsafe interface.plan
      if way == .blockDescriptor, unsafe !plan.pointee.isVariadic,
        let code = unsafe cbr_block_entry_code(
          plan.pointee.returnsThroughMemory, EnteredCall.isNarrow(plan),
          UInt32(plan.pointee.vectorBytes))
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
    // SAFETY: a call in progress has read the entry before, and uses only the receiver, which lives
    // until no hazard pointer protects it.
    HazardPointers.retire(receiver.withLock { $0 })
    unsafe entry.deallocate()
  }

  // SAFETY: the memory lives as long as this object.
  /// The address that a block's descriptor holds for the shared code.
  package var address: UnsafeRawPointer { unsafe UnsafeRawPointer(entry) }

  // SAFETY: as above; the place is replaced atomically.
  /// The place from which calls load the receiver.
  var receiverPlace: UnsafePointer<UnsafeRawPointer?> {
    unsafe UnsafePointer(cbr_entry_receiver(entry))
  }

  // SAFETY: the hazard pointer protects the receiver meanwhile.
  /// Calls a closure with the levels that the next call runs, if there are any; takes no lock.
  package func levels<Result>(_ body: (any CallLevels) -> Result) -> Result? {
    let hazard = unsafe cbr_hazard_protect_loaded(cbr_entry_receiver(entry))
    defer { if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) } }
    let target = unsafe cbr_hazard_protected(hazard)?.assumingMemoryBound(to: CallTarget.self)
    return unsafe target?.pointee.receiver?._withUnsafeGuaranteedRef { $0.levels.map(body) }
  }

  /// The levels that later calls run, if there are any.
  package var laterLevels: (any CallLevels)? { receiver.withLock { $0.levels } }

  /// Directs later calls to another receiver.
  ///
  /// - Parameter receiver: Receives the calls.
  /// - Returns: The previous receiver. Pass it to `HazardPointers.retire`, under no lock.
  package func replaceReceiver(with receiver: CallReceiver) -> CallReceiver {
    self.receiver.withLock { current in
      defer { current = receiver }
      // SAFETY: `current` retains the receiver whose address calls load.
      _ = unsafe cbr_slot_exchange(cbr_entry_receiver(entry), receiver.address)
      return current
    }
  }
}

extension CallEntry: ReferenceTable {
  package var contents: Any { receiver.withLock { $0 } }
}
