internal import BlockABI
internal import Synchronization

/// The knowledge of the code at an address; never freed.
@safe
final class KnownCode: Sendable {
  enum Kind {
    static let unknown: UInt8 = 0
    static let thunk: UInt8 = 1
    static let closure: UInt8 = 2
  }

  let address: UInt

  /// Whether blocks that enter the code lead on, as a thunk does, to other code.
  let kind = Atomic<UInt8>(Kind.unknown)

  // SAFETY: sources that are known are never freed.
  /// The sources with this code, the newest first.
  let first = unsafe Atomic<Unmanaged<BlockSources.Known>?>(nil)

  /// The source whose blocks this code replaces.
  let replaced = unsafe Atomic<Unmanaged<BlockSources.Known>?>(nil)

  init(_ address: UInt) { self.address = address }

  /// Forgets what is known of the code, because other code may be at its address.
  ///
  /// Called under the lock of the table's user.
  func forget() {
    kind.store(Kind.unknown, ordering: .releasing)
    unsafe first.load(ordering: .relaxed)?._withUnsafeGuaranteedRef { $0.forgetAll() }
  }
}

/// A hash table of known code by address, from which nothing is removed, and that is read without a
/// lock: open addressing, linear probing.
///
/// Its user's lock guards insertions.
@safe
final class KnownCodeTable: Sendable {
  // SAFETY: `@unchecked Sendable`: all is immutable but the places, which are atomic. Those are
  // initialised and never freed; indices are masked.
  @safe
  private final class Places: @unchecked Sendable {
    private let places: UnsafeMutablePointer<Atomic<Unmanaged<KnownCode>?>>
    let mask: Int

    /// The smaller table that this one replaced: other threads may be reading it.
    private let replaced: Places?

    init(count: Int, replacing replaced: Places?) {
      unsafe places = .allocate(capacity: count)
      for index in 0..<count { unsafe (places + index).initialize(to: Atomic(nil)) }
      mask = count - 1
      self.replaced = replaced
    }

    fileprivate subscript(index: Int) -> Unmanaged<KnownCode>? {
      get { unsafe places[index & mask].load(ordering: .acquiring) }
      set { unsafe places[index & mask].store(newValue, ordering: .releasing) }
    }

    @inline(__always)
    private func home(of address: UInt) -> Int {
      Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) &>> 32)
    }

    /// The code at an address, if there is any.
    @inline(__always)
    func find(_ address: UInt) -> Unmanaged<KnownCode>? {
      var index = home(of: address)
      // Each place is loaded once: another thread may use a free one meanwhile, for other code.
      while let code = unsafe self[index] {
        if unsafe code._withUnsafeGuaranteedRef({ $0.address == address }) { return unsafe code }
        index &+= 1
      }
      return nil
    }

    /// Adds code whose address has none; called under the lock.
    func insert(_ code: Unmanaged<KnownCode>) {
      var index = unsafe home(of: code._withUnsafeGuaranteedRef { $0.address })
      while unsafe self[index] != nil { index &+= 1 }
      unsafe self[index] = unsafe code
    }
  }

  private let places: Atomic<Unmanaged<Places>>
  private let count = Atomic(0)

  init() { unsafe places = Atomic(.passRetained(Places(count: 64, replacing: nil))) }

  /// The code at an address, if it is known.
  @inline(__always)
  func find(_ address: UInt) -> Unmanaged<KnownCode>? {
    // SAFETY: tables are never freed.
    unsafe places.load(ordering: .acquiring)._withUnsafeGuaranteedRef { unsafe $0.find(address) }
  }

  /// Finds the code behind all thunks that a block enters.
  ///
  /// - Parameters:
  ///   - view: The block.
  ///   - entered: The code that it enters, or entered before it got hooks of its own.
  /// - Returns: The code; nil if it is not known.
  @inline(__always)
  func code(of view: BlockView, entering entered: Unmanaged<KnownCode>) -> Unmanaged<KnownCode>? {
    var code = unsafe entered
    var captures: UnsafeRawPointer? = unsafe view.captures
    while true {
      switch unsafe code._withUnsafeGuaranteedRef({ $0.kind.load(ordering: .acquiring) }) {
      case KnownCode.Kind.closure: return unsafe code
      case KnownCode.Kind.thunk:
        // SAFETY: such a thunk has the code and the context of what it calls among its captures.
        guard let place = unsafe captures else { return unsafe code }
        guard let next = unsafe find(place.load(as: UInt.self)) else { return nil }
        unsafe code = unsafe next
        unsafe captures = unsafe BlockView.captures(
          inContext: place.load(fromByteOffset: 8, as: UnsafeRawPointer?.self))
      default: return nil
      }
    }
  }

  /// The code at an address, which becomes known; called under the lock.
  func insert(_ address: UInt) -> KnownCode {
    if let present = unsafe find(address) { return unsafe present.takeUnretainedValue() }
    let old = unsafe places.load(ordering: .relaxed).takeUnretainedValue()
    let number = count.load(ordering: .relaxed) + 1
    count.store(number, ordering: .relaxed)
    let current = 2 * number > old.mask ? grown(old) : old
    let new = KnownCode(address)
    unsafe current.insert(.passRetained(new))
    return new
  }

  private func grown(_ old: Places) -> Places {
    let new = Places(count: 2 * (old.mask + 1), replacing: old)
    for index in 0...old.mask {
      if let code = unsafe old[index] { unsafe new.insert(code) }
    }
    unsafe places.store(.passRetained(new), ordering: .releasing)
    return new
  }
}
