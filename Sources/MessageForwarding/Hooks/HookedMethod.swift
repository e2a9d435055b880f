internal import BlockHooks
private import CMessageForwarding.Messages
internal import Invocations
internal import TypeEncodings

/// A method that is or was hooked: an implementation that runs its chain of hooks.
final class HookedMethod: Implementation, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are immutable and Sendable. The function's code
  // has the signature of `ownInterface`, and this object owns it.

  private let ownInterface: CallInterface
  private let function: HookedFunction
  private let inner: InnerMethod

  /// The entry of the function's code, which it owns.
  private let entry: CallEntry

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
    entry = function.entry
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
  /// Whether there is a hooked method at the address of an implementation.
  static func isAt(_ address: UnsafeRawPointer) -> Bool {
    // SAFETY: an object begins with the address of its class.
    unsafe address.load(as: UnsafeRawPointer.self)
      == unsafeBitCast(HookedMethod.self, to: UnsafeRawPointer.self)
  }

  /// Calls the hooks, and inside of them the method, with numbers, without the function's code.
  ///
  /// - Parameters:
  ///   - address: The hooked method, which the caller protects or retains.
  ///   - hazard: The hazard pointer that protects it; nil if it is retained.
  ///   - receiver: The receiver.
  ///   - selector: The message.
  ///   - argumentsType: The type of the tuple of arguments.
  ///   - arguments: The tuple.
  ///   - outcomeType: The type of the answer, which is ignored if that is `Void`.
  ///   - outcome: The answer.
  /// - Returns: False, and nothing is called, if the method has other types than numbers, or not
  ///   these.
  /// - Throws: `thrown`, and the errors of the method inside of the hooks.
  static func call(
    _ address: UnsafeRawPointer, _ hazard: UnsafeMutableRawPointer?,
    _ receiver: any MessageReceiver, _ selector: Selector, _ argumentsType: Any.Type,
    _ arguments: UnsafeRawPointer, _ outcomeType: Any.Type, _ outcome: inout UInt64
  ) throws(MessageError) -> Bool {
    // SAFETY: the caller vouches for the method. When the hooks run, the hazard pointer protects
    // them instead, and they own what they use.
    let method = unsafe Unmanaged<HookedMethod>.fromOpaque(address)
    let registers = unsafe method._withUnsafeGuaranteedRef { method in
      unsafe method.inner.registers(for: argumentsType, outcomeType).map {
        unsafe (numbers: $0, entry: Unmanaged.passUnretained(method.entry))
      }
    }
    guard let registers = unsafe registers else { return false }
    let own = unsafe hazard == nil ? cbr_hazard_protect(address) : nil
    var word: UInt64 = 0
    if let hazard = unsafe hazard ?? own.map({ UnsafeMutableRawPointer($0) }) {
      let thrown = ThrownErrors.collect {
        unsafe registers.entry._withUnsafeGuaranteedRef { entry in
          unsafe registers.numbers._withUnsafeGuaranteedRef { numbers in
            word = unsafe entry.call(receiver, selector, arguments, numbers, by: hazard)
          }
        }
      }
      if let own = unsafe own { unsafe EnteredMethod.leave(UnsafeMutableRawPointer(own)) }
      if let thrown { throw MessageError(collected: thrown, by: selector) }
    }
    outcome = word
    return true
  }
}
