private import BlockRuntimeThreads
internal import CInvocations.HazardPointers
private import Glibc

// SAFETY, for the whole file: an entry is protected while it is read, and let go of through
// `HazardPointers`; a slot holds one reference to its entry.

/// The interfaces of the type encodings met last, found without a lock.
///
/// An encoding has two slots of 1,024; what takes a slot drops what was in it, to be made again when
/// needed.
enum CallInterfaceCache {
  /// What an interface depends on beside its encoding.
  struct Options: Hashable {
    private let bits: UInt64

    init(usesStructReturn: Bool?, fixedArgumentCount: Int?, _ engine: CallEngine) {
      let structReturn: UInt64 = usesStructReturn.map { $0 ? 2 : 1 } ?? 0
      let fixed = UInt64(truncatingIfNeeded: fixedArgumentCount.map { $0 &+ 1 } ?? 0)
      bits = fixed << 8 | structReturn << 1 | (engine == .libffi ? 1 : 0)
    }

    var hash: UInt64 { bits &* 0x9E37_79B9_7F4A_7C15 }
  }

  @safe
  private final class Entry: @unchecked Sendable {
    // SAFETY: everything is immutable; the text is the entry's own.
    private let encoding: UnsafeMutableBufferPointer<UInt8>
    private let options: Options
    let interface: CallInterface

    init(
      _ encoding: UnsafeBufferPointer<UInt8>, _ options: Options, _ interface: CallInterface
    ) {
      unsafe self.encoding = .allocate(capacity: encoding.count)
      _ = unsafe self.encoding.initialize(from: encoding)
      self.options = options
      self.interface = interface
    }

    deinit { unsafe encoding.deallocate() }

    func isFor(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options) -> Bool {
      guard unsafe encoding.count == bytes.count, options == self.options,
        let own = unsafe encoding.baseAddress, let address = bytes.baseAddress
      else { return false }
      return unsafe memcmp(own, address, bytes.count) == 0
    }
  }

  private static let slotCount = 1024

  /// Longer encodings are rarely met twice, and would fill the memory.
  static let longestEncoding = 4096

  // SAFETY: the slots are replaced under the lock, and read atomically.
  nonisolated(unsafe) private static let slots = {
    let slots = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: nil, count: slotCount)
    return unsafe slots
  }()

  private static let lock = Locked(())

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options) -> Int {
    var hash = options.hash
    var index = 0
    let raw = UnsafeRawBufferPointer(bytes)
    while index &+ 8 <= bytes.count {
      hash = unsafe (hash ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
      index &+= 8
    }
    while index < bytes.count {
      hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x0100_0000_01B3
      index &+= 1
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(slotCount - 1))
  }

  /// The interface of an encoding, if it is there.
  static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
  ) -> CallInterface? {
    let first = unsafe hash(bytes, options)
    return unsafe find(bytes, options, in: slots + first)
      ?? find(bytes, options, in: slots + (first ^ 1))
  }

  @inline(__always)
  private static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options,
    in slot: UnsafeMutablePointer<UnsafeRawPointer?>
  ) -> CallInterface? {
    let hazard = unsafe cbr_hazard_protect_loaded(slot)
    let found = unsafe cbr_hazard_protected(hazard).flatMap { entry in
      unsafe Unmanaged<Entry>.fromOpaque(entry)._withUnsafeGuaranteedRef { entry in
        unsafe entry.isFor(bytes, options) ? entry.interface : nil
      }
    }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return found
  }

  /// Keeps an interface for later.
  static func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options, _ interface: CallInterface
  ) {
    let entry = unsafe Entry(bytes, options, interface)
    let first = unsafe hash(bytes, options)
    let old = unsafe lock.withLock { _ -> Unmanaged<Entry>? in
      let isFree = unsafe cbr_slot_load(slots + first) == nil
      let slot = unsafe slots + (isFree || Bool.random() ? first : first ^ 1)
      return unsafe cbr_slot_exchange(slot, Unmanaged.passRetained(entry).toOpaque()).map {
        unsafe Unmanaged.fromOpaque($0)
      }
    }
    if let old = unsafe old {
      unsafe HazardPointers.retire(old.takeRetainedValue(), UnsafeRawPointer(old.toOpaque()))
    }
  }
}
