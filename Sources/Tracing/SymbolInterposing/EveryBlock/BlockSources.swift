internal import BlockABI
private import BlockRuntimeThreads
private import Glibc
private import Synchronization

/// The sources found so far, and the requests to hook blocks.
///
/// Each block that is copied is looked up without a lock, and without a retained reference: sources
/// are never freed, as the code that replaces their blocks' code is not. The lock guards changes.
final class BlockSources: Sendable {
  // SAFETY: callers keep the blocks of the views alive; code addresses are only compared. Entries
  // that are loaded as unmanaged references are never freed.

  /// A source, and the code that replaces the blocks' own once any request matches it.
  @safe
  final class Known: Sendable {
    let source: BlockSource
    let code: (any BlockCode)?

    /// The address of `code`; nil if that does not exist.
    fileprivate let replacement: UInt?

    /// The code that the blocks enter, which leads to the source's behind all thunks; 0 once that
    /// is unloaded.
    fileprivate let invoke: Atomic<UInt>

    // SAFETY: a copy that is never changed, and freed with the entry, unless that is recorded.
    /// The blocks' type encoding; nil without one.
    nonisolated(unsafe) private let encoding: UnsafePointer<CChar>?

    /// The sources of the same code that were found before.
    fileprivate let next = unsafe Atomic<Unmanaged<Known>?>(nil)

    /// The count of requests when these were examined: later ones may match the source.
    fileprivate let examined: Atomic<Int>

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - code: The replacement, if any request matches.
    ///   - view: A block of the source.
    ///   - requestCount: `count` of the requests that were examined.
    init(
      _ source: BlockSource, _ code: (any BlockCode)?, _ view: BlockView, requestCount: Int
    ) {
      self.source = source
      self.code = code
      replacement = unsafe code?.address.map { UInt(bitPattern: $0) }
      invoke = unsafe Atomic(UInt(bitPattern: view.replacedCode))
      unsafe encoding = unsafe source.encoding.flatMap { unsafe UnsafePointer(strdup($0)) }
      examined = Atomic(requestCount)
    }

    deinit { unsafe free(UnsafeMutablePointer(mutating: encoding)) }

    /// The entry, if calls of its source's blocks are hooked or observed together.
    var ifHooked: Known? { code == nil ? nil : self }

    /// Lets the source, and those of the same code that were found before, fit no more blocks.
    func forgetAll() {
      // With a source that was forgotten, all before it were.
      guard invoke.load(ordering: .relaxed) != 0 else { return }
      invoke.store(0, ordering: .relaxed)
      unsafe next.load(ordering: .relaxed)?._withUnsafeGuaranteedRef { $0.forgetAll() }
    }

    /// Whether a block of the source's code has its signature and enters the same code: the image
    /// may have been unloaded, and another one loaded at its address.
    @inline(__always)
    fileprivate func fits(_ view: BlockView, entering invoke: UInt) -> Bool {
      guard invoke == self.invoke.load(ordering: .relaxed) else { return false }
      guard let encoding = unsafe encoding, let other = unsafe view.encoding else {
        return unsafe encoding == nil && view.encoding == nil
      }
      return unsafe strcmp(encoding, other) == 0
    }
  }

  /// The result of a look-up; its entries are never freed.
  @safe
  enum Finding {
    /// The block enters the replacement of this source already.
    case replaced(Unmanaged<Known>)
    /// The block is not to be replaced: the library's own, or one that no request selects.
    case left(Unmanaged<Known>)
    /// The block is to enter the code at this address, the replacement of this source.
    case matched(UInt, Unmanaged<Known>)
    /// The source has not been examined, or not for all requests.
    case unknown
  }

  /// The requests, in the order in which they were made.
  struct Requests: Sendable {
    fileprivate(set) var all: [BlockRequest] = []

    /// Those that hook blocks one by one.
    var individual: [BlockRequest] { all.filter(\.isIndividual) }

    /// How many were ever made.
    fileprivate(set) var count = 0
  }

  private struct State: Sendable {
    var requests = Requests()

    /// All replacements.
    var codes: [any BlockCode] = []

    /// The paths of the images that hold known code, by its address.
    var images: [UInt: String] = [:]
  }

  private let state = GatedLock(State())
  private let codes = KnownCodeTable()

  /// Copies of what the requests tell, for look-ups.
  private let requestCount = Atomic(0)
  private let hasIndividual = Atomic(false)

  // MARK: - Requests

  /// The requests.
  var requests: Requests { state.withLock { $0.requests } }

  /// Whether any request hooks blocks one by one.
  var hasIndividualRequests: Bool { hasIndividual.load(ordering: .acquiring) }

  /// Adds a request.
  ///
  /// - Returns: All replacements.
  func add(_ request: BlockRequest) -> [any BlockCode] {
    change { requests in
      requests.all.append(request)
      requests.count += 1
    }
  }

  /// Removes a request.
  ///
  /// - Returns: All replacements.
  func remove(_ request: BlockRequest) -> [any BlockCode] {
    change { $0.all.removeAll { $0 === request } }
  }

  private func change(_ body: (inout Requests) -> Void) -> [any BlockCode] {
    state.withLock { state in
      body(&state.requests)
      hasIndividual.store(!state.requests.individual.isEmpty, ordering: .releasing)
      // Sources without code are examined again for a new request.
      requestCount.store(state.requests.count, ordering: .releasing)
      return state.codes
    }
  }

  // MARK: - Sources

  /// Looks a block up by its code.
  ///
  /// - Parameters:
  ///   - view: The block.
  ///   - invoke: Its `replacedCode`.
  /// - Returns: What is to be done with the block.
  func look(at view: BlockView, entering invoke: UInt) -> Finding {
    guard let entered = unsafe codes.find(invoke) else { return .unknown }
    guard let code = unsafe codes.code(of: view, entering: entered) else {
      let replaced = unsafe entered._withUnsafeGuaranteedRef {
        unsafe $0.replaced.load(ordering: .acquiring)
      }
      return unsafe replaced.map { unsafe .replaced($0) } ?? .unknown
    }
    guard let known = unsafe first(of: code, invoke, for: view) else { return .unknown }
    return unsafe known._withUnsafeGuaranteedRef { entry in
      if let replacement = entry.replacement { return unsafe .matched(replacement, known) }
      return unsafe isExamined(entry) ? .left(known) : .unknown
    }
  }

  /// The entry of a block's source; nil if it is unknown, or if a request may match that was made
  /// since it was examined.
  func find(_ view: BlockView) -> Known? {
    let invoke = unsafe UInt(bitPattern: view.replacedCode)
    guard let entered = unsafe codes.find(invoke),
      let code = unsafe codes.code(of: view, entering: entered),
      let known = unsafe first(of: code, invoke, for: view)?.takeUnretainedValue(),
      known.code != nil || isExamined(known)
    else { return nil }
    return known
  }

  /// The entry whose replacement a block enters; nil if it enters none.
  func entry(replacedIn view: BlockView) -> Known? {
    let code = unsafe codes.find(UInt(bitPattern: view.replacedCode))
    return unsafe code?._withUnsafeGuaranteedRef { code in
      unsafe code.replaced.load(ordering: .acquiring)?.takeUnretainedValue()
    }
  }

  /// The entry of a block's source; nil unless calls of such blocks are hooked together.
  func entry(of view: BlockView) -> Known? {
    unsafe entry(replacedIn: view) ?? find(view)?.ifHooked
  }

  private func isExamined(_ known: Known) -> Bool {
    known.source.isOwn
      || known.examined.load(ordering: .acquiring) == requestCount.load(ordering: .acquiring)
  }

  @inline(__always)
  private func first(
    of code: Unmanaged<KnownCode>, _ invoke: UInt, for view: BlockView
  ) -> Unmanaged<Known>? {
    var known = unsafe code._withUnsafeGuaranteedRef { unsafe $0.first.load(ordering: .acquiring) }
    while let current = unsafe known {
      if unsafe current._withUnsafeGuaranteedRef({ unsafe $0.fits(view, entering: invoke) }) {
        return unsafe current
      }
      unsafe known = unsafe current._withUnsafeGuaranteedRef {
        unsafe $0.next.load(ordering: .acquiring)
      }
    }
    return nil
  }

  /// Records a block's source, unless another thread did so first.
  ///
  /// - Returns: The recorded entry.
  func insert(_ new: Known, _ view: BlockView) -> Known {
    let addresses = [new.source.address] + new.source.thunks
    let images = addresses.map(Self.image)
    let invoke = new.invoke.load(ordering: .relaxed)
    return state.withLock { state in
      for (address, image) in zip(addresses, images) {
        let code = codes.insert(address)
        // One of a library that was loaded by other means than a call of `dlopen` through a slot.
        if let old = state.images.updateValue(image, forKey: address), old != image {
          code.forget()
        }
      }
      let code = codes.insert(new.source.address)
      // The code that was examined is a replacement: another thread has hooked the block meanwhile.
      if let known = unsafe code.replaced.load(ordering: .acquiring) {
        return unsafe known.takeUnretainedValue()
      }
      // Also for a source that is known: other code may have taken the place of unloaded code.
      for thunk in new.source.thunks {
        codes.insert(thunk).kind.store(KnownCode.Kind.thunk, ordering: .releasing)
      }
      code.kind.store(KnownCode.Kind.closure, ordering: .releasing)
      let present = unsafe first(of: .passUnretained(code), invoke, for: view)?
        .takeUnretainedValue()
      if let present, present.code != nil || new.code == nil {
        if present.examined.load(ordering: .relaxed) < new.examined.load(ordering: .relaxed) {
          present.examined.store(new.examined.load(ordering: .relaxed), ordering: .releasing)
        }
        return present
      }
      if let replacement = new.replacement, let replacing = new.code {
        unsafe codes.insert(replacement).replaced.store(.passUnretained(new), ordering: .releasing)
        state.codes.append(replacing)
      }
      // Last: a thread that finds the entry, and writes its replacement's address into a block, has
      // others find that address. Sources and codes are never freed.
      unsafe new.next.store(code.first.load(ordering: .relaxed), ordering: .relaxed)
      unsafe code.first.store(.passRetained(new), ordering: .releasing)
      return new
    }
  }

  // MARK: - Unloaded code

  /// Forgets the sources whose code was unloaded, because other code may come to its address.
  func forgetUnloadedCode() {
    // The loader may be asked, so nothing is locked.
    let gone = state.withLock { $0.images }.filter { Self.image($0.key) != $0.value }
    state.withLock { state in
      for (address, image) in gone where state.images[address] == image {
        state.images[address] = nil
        codes.insert(address).forget()
      }
    }
  }

  /// The path of the image that holds an address; code in none has an empty one.
  private static func image(_ address: UInt) -> String {
    // SAFETY: the address is only looked up.
    unsafe UnsafeRawPointer(bitPattern: address).flatMap { unsafe CodeSymbol.imagePath(at: $0) }
      ?? ""
  }
}
