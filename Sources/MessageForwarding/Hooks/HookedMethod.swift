internal import BlockHooks
private import CMessageForwarding.Messages
public import Invocations
internal import TypeEncodings

/// A method that is or was hooked: an implementation that runs its chain of hooks.
@safe
final class HookedMethod: Implementation, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are immutable and Sendable. The function's code
  // has the signature of `ownInterface`; this object owns it, and what `direct` refers to.

  private let ownInterface: CallInterface
  private let function: HookedFunction
  private let inner: InnerMethod

  /// Nil if the method has other types than numbers.
  private let directEntry: DirectEntry?
  nonisolated(unsafe) fileprivate let direct: Direct?

  /// Creates a method without hooks.
  ///
  /// - Parameters:
  ///   - selector: The method's name.
  ///   - implementation: The implementation to be hooked, which has the signature and the types.
  ///   - hooksChanged: Called after hooks were installed or removed.
  ///   - below: The place of the implementation inside of the hooks.
  ///   - receiverClass: The class of the receivers.
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`,
  ///   `outOfMemory`.
  init(
    _ selector: Selector, _ implementation: Implementation,
    hooksChanged: @escaping @Sendable () -> Void,
    below: MethodSlot.Place, of receiverClass: AnyClass
  ) throws(MessageError) {
    let interface = try implementation.interface
    let inner = InnerMethod(selector, interface, implementation.numbers, below, receiverClass)
    ownInterface = interface
    self.inner = inner
    do throws(HookError) {
      function = try HookedFunction(
        interface, "method", onError: ThrownErrors.receive, errors: ThrownErrors.passage,
        direct: inner, hooksChanged: hooksChanged,
        around: .closure { frame in try inner.run(&frame) })
    } catch {
      throw MessageError(error, selector)
    }
    if let types = inner.numbers, let registers = inner.registers {
      let entry = DirectEntry(function.entry, registers)
      directEntry = entry
      unsafe direct = unsafe Direct(types, entry)
    } else {
      directEntry = nil
      unsafe direct = nil
    }
    super.init()
  }

  override var numbers: MethodNumbers? { inner.numbers }

  /// Whether any hook runs in calls of an implementation: hooks apply only to the signature for
  /// which they were installed.
  func hooksCalls(of below: Implementation?) -> Bool {
    guard function.hooksCalls else { return false }
    // An implementation without a signature throws the reason when it is called.
    guard let interface = try? below?.interface else { return true }
    return ownInterface.isCalled(as: interface)
  }

  /// Whether any hook runs in calls.
  var hooksCalls: Bool { function.hooksCalls }

  /// The installed hooks, outermost first.
  var hooks: [Hook] { function.hooks }

  /// Whether calls of an interface can go through the hooks.
  ///
  /// - Returns: False if the method has another signature now, and there are no hooks: then another
  ///   `HookedMethod` is needed.
  /// - Throws: `signatureConflict` if there are hooks of another signature.
  func fits(_ interface: CallInterface, _ selector: Selector) throws(MessageError) -> Bool {
    if ownInterface.isCalled(as: interface) { return true }
    guard !function.isUsed else {
      throw MessageError(
        .signatureConflict,
        "\(selector) is hooked as \(ownInterface.signature), and is \(interface.signature) now; remove "
          + "those hooks first", selector: selector)
    }
    return false
  }

  /// Installs a hook.
  func install(
    _ definition: HookDefinition, _ selector: Selector
  ) throws(MessageError) -> Hook {
    do { return try function.install(definition) } catch { throw MessageError(error, selector) }
  }

  /// Ends all hooks.
  func retire() { function.retire() }

  override func makeSignature() throws(MessageError) -> MethodSignature { ownInterface.signature }

  override func makeInterface() throws(MessageError) -> CallInterface { ownInterface }

  override func code() throws(MessageError) -> UnsafeRawPointer { unsafe function.code }

  override func run(_ frame: inout CallFrame) throws { unsafe frame.call(function.code) }
}

// MARK: - Messages whose Swift types are the method's

extension HookedMethod {
  // SAFETY: addresses of classes are only compared; the method retains the rest.
  /// What messages of the method's types read, without counting references.
  @unsafe
  fileprivate struct Direct {
    /// The classes of implementations with the types of messages, whose answer may be ignored.
    let types: UnsafeRawPointer
    let typesIgnoringAnswer: UnsafeRawPointer

    let entry: Unmanaged<DirectEntry>

    init(_ types: MethodNumbers, _ entry: DirectEntry) {
      unsafe self.types = unsafe unsafeBitCast(types.implementation, to: UnsafeRawPointer.self)
      unsafe typesIgnoringAnswer = unsafe unsafeBitCast(
        types.ignoringOutcome, to: UnsafeRawPointer.self)
      unsafe self.entry = .passUnretained(entry)
    }
  }
}

extension EnteredMethod {
  /// Calls a hooked method whose types are numbers: runs the hooks, and inside of them the method,
  /// without the function's code.
  ///
  /// - Parameters:
  ///   - address: An implementation, which the caller protects or retains.
  ///   - hazard: The hazard pointer that protects it; nil if it is permanent or retained.
  ///   - receiver: The receiver.
  ///   - selector: The message.
  ///   - types: The class of implementations with the message's types.
  ///   - arguments: The tuple of arguments, with another word after it.
  /// - Returns: The error of the method or the hooks, if there is one, and the answer, if it is a
  ///   number. The answer is nil, and nothing was called, if the implementation is no hooked method,
  ///   or has other types.
  ///
  /// ## Safety
  /// `arguments` must be as `types` says.
  @unsafe
  @usableFromInline
  static func callHooked(
    _ address: UnsafeRawPointer, _ hazard: UnsafeMutableRawPointer?, _ receiver: AnyObject,
    _ selector: Selector, _ types: UnsafeRawPointer, _ arguments: UnsafeRawPointer
  ) -> (error: (any Error)?, answer: UInt64?) {
    // SAFETY: an object begins with the address of its class; the caller vouches for the rest. When
    // the hooks run, the hazard pointer protects them instead, and they own what they use.
    guard
      unsafe address.load(as: UnsafeRawPointer.self)
        == unsafeBitCast(HookedMethod.self, to: UnsafeRawPointer.self)
    else { return (nil, nil) }
    let direct = unsafe Unmanaged<HookedMethod>.fromOpaque(address)._withUnsafeGuaranteedRef {
      unsafe $0.direct
    }
    guard let direct = unsafe direct,
      unsafe direct.types == types || direct.typesIgnoringAnswer == types
    else { return (nil, nil) }
    guard let hazard = unsafe hazard else {
      return unsafe protectAndCallHooked(address, receiver, selector, types, arguments)
    }
    return unsafe direct.entry._withUnsafeGuaranteedRef { entry in
      unsafe EnteredCall.make(
        entry, receiver, selector, arguments, by: hazard, cbr_message_error_place())
    }
  }

  /// Does the same for a method that no hazard pointer protects.
  @inline(never)
  private static func protectAndCallHooked(
    _ address: UnsafeRawPointer, _ receiver: AnyObject, _ selector: Selector,
    _ types: UnsafeRawPointer, _ arguments: UnsafeRawPointer
  ) -> (error: (any Error)?, answer: UInt64?) {
    // SAFETY: the hazard pointer is cleared once, on this thread.
    let hazard = unsafe UnsafeMutableRawPointer(cbr_hazard_protect(address))
    defer { unsafe leave(hazard) }
    return unsafe callHooked(address, hazard, receiver, selector, types, arguments)
  }
}
