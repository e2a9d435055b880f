internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations
private import TypeEncodings

/// The code that a tracer has seen so far.
final class TracedCodes: Sendable {
  private struct Key: Hashable {
    /// The address of the code, 0 if the hooks have no original.
    let code: UInt
    let interface: ObjectIdentifier
  }

  private enum Known: Sendable {
    case code(TracedCode, CallInterface)
    /// A thunk, which reads its closure from the block.
    case thunk(CallInterface)
  }

  /// Exceeded only if code is made at run time repeatedly; all are forgotten then.
  private static let limit = 4096

  private struct State {
    var known: [Key: Known] = [:]
    var unloadCount: UInt64 = 0
  }

  private let state = GatedLock(State())
  private let queue: TraceQueue?
  private let queues: TraceQueues?

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - queue: The destination of the calls, nil if it is a stream.
  ///   - queues: The process's queues, whose callers are code, too.
  init(_ queue: TraceQueue?, _ queues: TraceQueues? = nil) {
    self.queue = queue
    self.queues = queues
  }

  /// Forgets all if anything was unloaded since, because other code may be at the same
  /// addresses.
  ///
  /// Must be called when a hook is made: while there is one, its code stays loaded, or the one who
  /// made it forgets it.
  func forgetWhatWasUnloaded() {
    let unloadCount = LoadedImage.unloadCount
    let forgotten = state.withLock { state -> State? in
      guard unloadCount != state.unloadCount else { return nil }
      defer { state = State(unloadCount: unloadCount) }
      return state
    }
    if forgotten != nil { queues?.callers.forget() }
    withExtendedLifetime(forgotten) {}
  }

  /// The code of a block, nil if the block has no signature with which it can be called.
  func code(of block: Block, _ options: TraceOptions) -> TracedCode? {
    forgetWhatWasUnloaded()
    guard let interface = try? block.callInterface else { return nil }
    // SAFETY: the block is alive, and the addresses are only looked up.
    let original = unsafe block.compiledCode
    let code = unsafe original.flatMap { unsafe block.code(behindThunk: $0) } ?? original
    return unsafe self.code(at: code, interface, hidden: 1, options)
  }

  /// The code that a call reaches if every hook proceeds.
  func code(of call: borrowing CallFrame, _ options: TraceOptions) -> TracedCode {
    let interface = call.interface
    let hidden = call.blockArgumentCount
    // SAFETY: the address is only looked up.
    let original = unsafe call.originalCode
    switch unsafe find(original, interface) {
    case .code(let code, _): return code
    case .thunk:
      // SAFETY: a block with this thunk has room for its closure's code there.
      let closure = unsafe call.calledBlock.flatMap { block in
        unsafe block.load(fromByteOffset: Block.thunkedCodeOffset, as: UnsafeRawPointer?.self)
      }
      return unsafe code(at: closure ?? original, interface, hidden: hidden, options)
    case nil:
      // SAFETY: the caller keeps the called block alive; a dead block's calls retain a copy.
      let closure = unsafe original.flatMap { original in
        unsafe call.calledBlock.flatMap { block in
          unsafe Block(unsafePointer: block).code(behindThunk: original)
        }
      }
      if unsafe closure != nil { unsafe insert(.thunk(interface), original, interface) }
      return unsafe code(at: closure ?? original, interface, hidden: hidden, options)
    }
  }

  /// The code at an address, called with an interface that may cover only part of its signature.
  func code(
    at address: UnsafeRawPointer?, _ interface: CallInterface, hidden: Int,
    _ options: TraceOptions, kind: TraceRecord.Kind = .call, isTask: Bool = false,
    title: String? = nil, signature: String? = nil, callers: CallerSearch? = nil
  ) -> TracedCode {
    // Methods have no address of their own, and are told apart by their titles.
    let isMethod = unsafe address == nil && title != nil && !isTask
    if !isMethod, case .code(let known, _) = unsafe find(address, interface) { return known }
    // The image's file may be read, so no lock is held.
    // SAFETY: the address is only looked up.
    let subject = unsafe TraceSubject(
      code: address, title: title, signature: signature ?? interface.signature.description)
    let capture = TraceCapture(
      interface, hiddenArgumentCount: hidden, limit: options.valueByteLimit)
    let made = TracedCode(
      RecordedCode(subject, capture, kind, isTask: isTask), capture.plan,
      isIncluded: options.includes(subject), callers: callers, queue)
    if !isMethod { unsafe insert(.code(made, interface), address, interface) }
    return made
  }

  /// The code of calls that are recorded without values, or of what is recorded by a title alone.
  ///
  /// - Throws: As `CallInterface.of`.
  func codeWithoutValues(
    at address: UnsafeRawPointer?, _ options: TraceOptions, title: String? = nil
  ) throws(InvocationError) -> TracedCode {
    unsafe code(
      at: address, try CallInterface.of("v@?"), hidden: 1, options, title: title,
      signature: TraceSubject.noSignature)
  }

  private func find(_ address: UnsafeRawPointer?, _ interface: CallInterface) -> Known? {
    let key = Key(code: UInt(bitPattern: address), interface: ObjectIdentifier(interface))
    return state.withLock { $0.known[key] }
  }

  /// Stores what is known of code, and with it the interface, whose identity is part of the key.
  private func insert(
    _ known: Known, _ address: UnsafeRawPointer?, _ interface: CallInterface
  ) {
    let key = Key(code: UInt(bitPattern: address), interface: ObjectIdentifier(interface))
    let old = state.withLock { state -> [Key: Known] in
      guard state.known.count >= Self.limit else {
        state.known[key] = known
        return [:]
      }
      let old = state.known
      state.known = [key: known]
      return old
    }
    withExtendedLifetime(old) {}
  }
}
