private import BlockRuntimeThreads
internal import CInvocations.HazardPointers
private import Glibc

/// A cache of interfaces by their type encodings, which is read without a lock.
///
/// An encoding can be in two of the 1,024 slots; a new entry replaces the old one of its slot.
enum CallInterfaceCache {
  /// The options that an interface depends on beside its encoding.
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
  private final class Cached: @unchecked Sendable {
    // SAFETY: immutable; the entry's own copy of the encoding is freed in `deinit`.
    private let encoding: UnsafeMutableBufferPointer<UInt8>
    private let options: Options
    let interface: CallInterface

    init(
      _ encoding: UnsafeBufferPointer<UInt8>, _ options: Options, _ interface: CallInterface
    ) {
      // SAFETY: the buffer has room for all bytes.
      unsafe self.encoding = .allocate(capacity: encoding.count)
      _ = unsafe self.encoding.initialize(from: encoding)
      self.options = options
      self.interface = interface
    }

    // SAFETY: an entry is released once no thread protects it, so nothing reads the bytes.
    deinit { unsafe encoding.deallocate() }

    func isFor(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options) -> Bool {
      // SAFETY: both buffers have the same count, which is checked first.
      guard unsafe encoding.count == bytes.count, options == self.options,
        let own = unsafe encoding.baseAddress, let address = bytes.baseAddress
      else { return false }
      return unsafe memcmp(own, address, bytes.count) == 0
    }
  }

  private static let slotCount = 1024

  /// Longer encodings are not cached: they rarely occur twice, and take much memory.
  private static let longestEncoding = 4096

  // SAFETY: the memory is never freed. A slot holds a reference to its entry; it is exchanged
  // atomically, under the lock, and loaded atomically.
  nonisolated(unsafe) private static let slots = {
    let slots = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: nil, count: slotCount)
    return unsafe slots
  }()

  private static let lock = GatedLock(())

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options) -> Int {
    var hash = options.hash
    var index = 0
    let raw = UnsafeRawBufferPointer(bytes)
    // SAFETY: the indices are less than the buffer's count.
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

  /// The interface of an encoding, nil if the cache does not have it.
  static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
  ) -> CallInterface? {
    // SAFETY: the hash is less than the slot count, which is even: `first ^ 1` is a slot too.
    let first = unsafe hash(bytes, options)
    return unsafe find(bytes, options, in: slots + first)
      ?? find(bytes, options, in: slots + (first ^ 1))
  }

  @inline(__always)
  private static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options,
    in slot: UnsafeMutablePointer<UnsafeRawPointer?>
  ) -> CallInterface? {
    // The interface is retained before the hazard pointer is cleared, by a store with release.
    // SAFETY: the slot holds an `Cached`, which is not released before the hazard pointer is
    // cleared.
    let hazard = unsafe cbr_hazard_protect_loaded(slot)
    let found = unsafe cbr_hazard_protected(hazard).flatMap { entry in
      unsafe Unmanaged<Cached>.fromOpaque(entry)._withUnsafeGuaranteedRef { entry in
        unsafe entry.isFor(bytes, options) ? entry.interface : nil
      }
    }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return found
  }

  /// Adds an interface.
  static func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options, _ interface: CallInterface
  ) {
    guard bytes.count <= longestEncoding else { return }
    // SAFETY: the exchange takes over the slot's reference to the old entry, which is released once
    // no hazard pointer protects it.
    let entry = unsafe Cached(bytes, options, interface)
    let first = unsafe hash(bytes, options)
    let old = unsafe lock.withLock { _ -> Unmanaged<Cached>? in
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
