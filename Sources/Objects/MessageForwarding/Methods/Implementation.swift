private import BlockRuntimeThreads
private import CMessageForwarding.Messages
internal import Invocations
internal import TypeEncodings

/// The code that a method runs, with its signature: `IMP`.
///
/// Messages of the same Swift types call the Swift closure directly; all others go through a call
/// frame, like calls from C.
@usableFromInline
class Implementation: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the lock guards `made`; the other properties, also of all
  // subclasses, are immutable.

  /// The types of the messages that `EnteredMethod.callHooked` takes.
  @usableFromInline final let hookedTypes: HookedTypes

  /// The mark of the typed hook that the implementation runs, and the implementation inside of the
  /// hook; nil if it is not a typed hook.
  ///
  /// A hazard pointer to the implementation counts as a call of the hook's handler.
  final let layer: (mark: HandlerMark, inner: Implementation)?

  /// Whether the implementation is a typed hook.
  final let isLayer: Bool

  /// Whether the implementation is never freed: then messages run it without a hazard pointer.
  ///
  /// The methods of a Swift class's table are permanent.
  final var isPermanent: Bool { made.withLock { $0.isPermanent } }

  /// Makes the implementation permanent; to be called before any message can find it.
  final func makePermanent() {
    let isRepeated = made.withLock { exchange(&$0.isPermanent, with: true) }
    // SAFETY: the reference is never released.
    if !isRepeated { _ = unsafe Unmanaged.passRetained(self) }
  }

  private struct Made {
    var entry: CallEntry?
    var isPermanent = false
  }

  private let made = Locked(Made())

  private let madeInterface = OnceReference<CallInterface>()

  init(
    hookedTypes: consuming HookedTypes = HookedTypes(),
    layer: (mark: HandlerMark, inner: Implementation)? = nil
  ) {
    self.layer = layer
    isLayer = layer != nil
    self.hookedTypes = hookedTypes
    unsafe layer?.mark.include(address)
  }

  deinit {
    // SAFETY: the address is only compared.
    unsafe layer?.mark.exclude(address)
  }

  /// The signature, receiver and selector included.
  ///
  /// - Throws: `invalidMethod`, `invalidSignature`.
  func makeSignature() throws(MessageError) -> MethodSignature {
    throw MessageError(.invalidMethod, "an implementation without a signature")
  }

  /// Runs the implementation in a call.
  func run(_ frame: inout CallFrame) throws {}

  /// The reason why instances of a class cannot be receivers; nil if they can.
  func refusal(of receiverClass: AnyClass) -> String? { nil }

  /// Whether the implementation is a closure of Swift types.
  var isTyped: Bool { false }

  /// The types of the arguments and of the result; nil if not all are numbers, or the
  /// implementation is not a closure of Swift types.
  var numbers: MethodNumbers? { nil }

  /// The types of the arguments and of the result; nil if the implementation is not a closure of
  /// Swift types.
  var types: MethodTypes? { nil }

  /// Whether a call runs the override of the receiver's class, like a Swift call.
  var dispatchesDynamically: Bool { false }

  /// Calls a closure with the call interface, which is not retained: calls on several threads share
  /// it.
  ///
  /// - Throws: As `interface`.
  @inline(__always)
  final func withInterface<Outcome>(
    _ body: (CallInterface) -> Outcome
  ) throws(MessageError) -> Outcome {
    if let outcome = madeInterface.withObject(body) { return outcome }
    return body(try interface)
  }

  /// The call interface of the signature.
  ///
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`.
  final var interface: CallInterface {
    get throws(MessageError) {
      if let made = madeInterface.withObject({ $0 }) { return made }
      let interface = try makeInterface()
      _ = madeInterface.store(interface)
      return madeInterface.withObject { $0 } ?? interface
    }
  }

  func makeInterface() throws(MessageError) -> CallInterface {
    let signature = try makeSignature()
    do { return try CallInterface.cached(for: signature) } catch {
      throw MessageError(error, nil)
    }
  }

  /// The address of code that runs the implementation; created at the first call, and valid while
  /// this object lives.
  ///
  /// - Throws: `noExecutableMemory`, `invalidMethod`, `invalidSignature`, `unsupportedType`.
  func code() throws(MessageError) -> UnsafeRawPointer {
    let interface = try interface
    // SAFETY: an entry is never replaced, so its code is valid as long as this object.
    if let entry = made.withLock({ $0.entry }) { return unsafe entry.code }
    // The closure must not retain this object, which owns the code.
    let handler = CallHandler(onError: ThrownErrors.receive) { [unowned self] frame in
      try run(&frame)
    }
    let entry: CallEntry
    do {
      entry = try CallEntry(
        interface, receiver: CallReceiver(interface, hiddenArgumentCount: 0, first: handler),
        .ownCode)
    } catch {
      throw MessageError(error, nil)
    }
    return unsafe made.withLock { made in
      if made.entry == nil { made.entry = entry }
      return unsafe (made.entry ?? entry).code
    }
  }
}

extension Implementation {
  // SAFETY: the address is only compared.
  /// The address of this object, by which calls protect it.
  var address: UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls a closure with the implementation to be run: this one, or the one inside of it if it is
  /// a typed hook that was removed.
  ///
  /// A message that finds an implementation in a slot need not call this: a removal replaces it
  /// there first.
  final func running<Outcome, Failure: Error>(
    _ body: (Implementation) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    guard let layer else { return try body(self) }
    // The pointer is set before the mark is read: a removal sets the mark before it scans the
    // pointers. SAFETY: the hazard pointer is cleared once, on the same thread.
    let hazard = unsafe cbr_hazard_protect(address)
    do {
      defer { if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) } }
      if !layer.mark.isRemoved { return try body(self) }
    }
    return try layer.inner.running(body)
  }

  /// Whether a class is the other one, or inherits from it.
  final class func inherits(_ type: AnyClass, from other: AnyClass) -> Bool {
    // `AnyObject` is the receiver class of methods that accept any object.
    if other == AnyObject.self { return true }
    var type: AnyClass? = type
    while let current = type {
      if current == other { return true }
      type = _getSuperclass(current)
    }
    return false
  }
}

extension Implementation: ReferenceTable {
  package var contents: Any { made.withLock { $0 } }
}
