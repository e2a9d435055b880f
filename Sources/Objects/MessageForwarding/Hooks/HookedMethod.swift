internal import BlockHooks
private import CMessageForwarding.Messages
public import Invocations
internal import TypeEncodings

/// A method with hooks that see frames: an implementation that runs a chain of them.
@safe
final class HookedMethod: Implementation, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are immutable and Sendable. The function's code
  // has the signature of `ownInterface`; this object owns it, and what `direct` refers to.

  private let ownInterface: CallInterface
  private let function: HookedFunction
  private let inner: InnerMethod
  private let methodTypes: MethodTypes?

  /// The entry of messages whose types are `hookedTypes`; nil if there are none.
  private let directEntry: DirectEntry?

  /// `directEntry` as calls use it, which count no references.
  fileprivate let direct: Unmanaged<DirectEntry>?

  /// Creates a method without hooks.
  ///
  /// - Parameters:
  ///   - selector: The method's name.
  ///   - interface: The signature of the hooks.
  ///   - receiverClass: The class of the receivers.
  ///   - place: The place of the implementation inside of the hooks; nil for a place that the
  ///     method owns.
  ///   - method: The method to be hooked, whose types messages have if it has the signature.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `outOfMemory`.
  init(
    _ selector: Selector, _ interface: CallInterface, of receiverClass: AnyClass,
    around place: MethodSlot.Place?, _ method: Implementation?
  ) throws(HookError) {
    let method = method.flatMap { method in
      (try? method.interface).map { $0.isCalled(as: interface) ? (method, $0) : nil } ?? nil
    }
    ownInterface = method?.1 ?? interface
    inner = InnerMethod(
      selector, ownInterface, method?.0.numbers, place, receiverClass)
    methodTypes = method?.0.types
    function = try HookedFunction(
      ownInterface, "method", onError: ThrownErrors.receive, errors: ThrownErrors.passage,
      direct: inner.runDirectly, types: methodTypes, hooksChanged: {},
      around: .closure { [inner] frame in try inner.run(&frame) })
    directEntry = inner.plan.map { [function] in DirectEntry(function.entry, $0) }
    unsafe direct = unsafe directEntry.map { unsafe Unmanaged.passUnretained($0) }
    super.init(
      hookedTypes: directEntry == nil ? HookedTypes() : HookedTypes(of: inner.numbers))
  }

  override var numbers: MethodNumbers? { inner.numbers }

  override var types: MethodTypes? { methodTypes }

  fileprivate var plan: TuplePlan? { inner.plan }

  /// Whether the hooks run in calls of an implementation: they apply only to the signature for
  /// which they were installed.
  func hooksCalls(of inner: Implementation) -> Bool {
    guard function.hooksCalls else { return false }
    // An implementation without a signature throws the reason when it is called.
    guard let interface = try? inner.interface else { return true }
    return isCalled(as: interface)
  }

  /// Whether calls of an interface can go through the hooks.
  func isCalled(as interface: CallInterface) -> Bool { ownInterface.isCalled(as: interface) }

  /// Sets the implementation inside of the hooks, unless its place is that of others too.
  func setInner(_ implementation: Implementation, _ replaced: inout ReplacedMethods) {
    inner.set(implementation, &replaced)
  }

  /// Replaces the hooks; `isCurrent` as in `HookedFunction`.
  func replaceLinks(
    _ links: [HookLink], isCurrent: Bool = true, _ replaced: inout [CallReceiver]
  ) {
    function.replaceLinks(links, isCurrent: isCurrent, &replaced)
  }

  override func makeSignature() throws(MessageError) -> MethodSignature { ownInterface.signature }

  override func makeInterface() throws(MessageError) -> CallInterface { ownInterface }

  override func code() throws(MessageError) -> UnsafeRawPointer { unsafe function.code }

  override func run(_ frame: inout CallFrame) throws { unsafe frame.call(function.code) }
}

// MARK: - Messages whose Swift types are the method's

extension EnteredMethod {
  /// Whether an implementation is a hooked method that `callHooked` calls for messages of some
  /// types, given by the address of the class of implementations with these types.
  ///
  /// ## Safety
  /// The caller must protect or retain the implementation.
  @unsafe
  @inlinable
  @inline(__always)
  static func isHooked(_ implementation: UnsafeRawPointer, _ types: UnsafeRawPointer) -> Bool {
    // SAFETY: the caller vouches for the implementation.
    unsafe Unmanaged<Implementation>.fromOpaque(implementation)._withUnsafeGuaranteedRef {
      $0.hookedTypes.has(UInt(bitPattern: types))
    }
  }

  /// Teaches a hooked method the types of a message, if they are those of its signature, and were
  /// unknown because the method is not a closure.
  ///
  /// - Returns: Whether `isHooked` is true of these types from now on.
  ///
  /// ## Safety
  /// The caller must protect or retain the implementation.
  @unsafe
  @usableFromInline
  static func learns(
    _ implementation: UnsafeRawPointer, _ types: UnsafeRawPointer, _ arguments: Any.Type,
    _ outcome: Any.Type
  ) -> Bool {
    // SAFETY: the caller vouches for the implementation.
    unsafe Unmanaged<Implementation>.fromOpaque(implementation)._withUnsafeGuaranteedRef {
      guard let plan = ($0 as? HookedMethod)?.plan else { return false }
      return $0.hookedTypes.learn(UInt(bitPattern: types), arguments, outcome, plan)
    }
  }

  /// Calls a hooked method whose types are numbers: runs the hooks, and inside of them the method,
  /// without the function's code.
  ///
  /// - Parameters:
  ///   - address: A hooked method.
  ///   - hazard: The hazard pointer that protects it, which is cleared.
  ///   - message: The message, a `MessageMemory`, where the answer is left.
  /// - Returns: The error of the method or the hooks, for `MessageError.received(_:by:)`; null if
  ///   there is none.
  ///
  /// ## Safety
  /// `isHooked` must be true of the method and of the types of the arguments.
  @unsafe
  @usableFromInline
  static func callHooked(
    _ address: UnsafeRawPointer, _ hazard: UnsafeMutableRawPointer,
    _ message: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer? {
    // SAFETY: the caller vouches for the method, which has an entry then. When the hooks run, the
    // hazard pointer protects them instead, and they own what they use.
    let entry = unsafe Unmanaged<HookedMethod>.fromOpaque(address)._withUnsafeGuaranteedRef {
      unsafe $0.direct.unsafelyUnwrapped
    }
    return unsafe entry._withUnsafeGuaranteedRef { entry in
      unsafe EnteredCall.make(entry, hazard, message, cbr_message_error_place())
    }
  }

  /// Protects an implementation, which the caller protects or retains, for `callHooked`.
  @usableFromInline
  static func protect(_ address: UnsafeRawPointer) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(cbr_hazard_protect(address))
  }
}

/// The memory of a message whose arguments are numbers, as `TuplePlan` describes it.
@unsafe
@frozen
@usableFromInline
struct MessageMemory<Arguments> {
  @usableFromInline let receiver: Unmanaged<AnyObject>
  @usableFromInline let selector: UnsafeRawPointer
  @usableFromInline var answer: UInt64 = 0
  @usableFromInline let arguments: Arguments
  @usableFromInline let after: UInt64 = 0

  @inlinable
  @inline(__always)
  init(_ receiver: AnyObject, _ selector: Selector, _ arguments: Arguments) {
    unsafe self.receiver = .passUnretained(receiver)
    unsafe self.selector = unsafe selector.pointer
    unsafe self.arguments = arguments
  }
}

extension MessageError {
  /// Creates an error from what `EnteredMethod.callHooked` returned, which is used once.
  ///
  /// - Returns: Nil if that is no error.
  ///
  /// ## Safety
  /// The address must be what `callHooked` returned.
  @unsafe
  @usableFromInline
  static func received(
    _ address: UnsafeMutableRawPointer, by selector: Selector
  ) -> MessageError? {
    unsafe ThrownErrors.take(address).map { MessageError(collected: $0, by: selector) }
  }
}
