internal import BlockHooks
internal import Invocations
internal import TypeEncodings

/// A method that is or was hooked: an implementation that runs its chain of hooks.
final class HookedMethod: Implementation, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are immutable and Sendable. The function's code
  // has the signature of `ownInterface`, and this object owns it.

  private let ownInterface: CallInterface
  private let function: HookedFunction

  /// Creates a method without hooks.
  ///
  /// - Parameters:
  ///   - selector: The method's name.
  ///   - interface: Its signature.
  ///   - hooksChanged: Called after hooks were installed or removed.
  ///   - below: The place of the implementation inside of the hooks.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `outOfMemory`.
  init(
    _ selector: Selector, _ interface: CallInterface,
    hooksChanged: @escaping @Sendable () -> Void,
    below: MethodSlot.Place
  ) throws(MessageError) {
    ownInterface = interface
    do throws(HookError) {
      function = try HookedFunction(
        interface, "method", onError: ThrownErrors.receive, errors: ThrownErrors.passage,
        hooksChanged: hooksChanged,
        around: .closure { frame in
          let found: Void? = try below.withImplementation { implementation in
            // The implementation may have been replaced since the hooks were installed.
            guard try implementation.withInterface({ $0.isCalled(as: interface) }) else {
              let own = try implementation.interface
              throw MessageError(
                .typeMismatch,
                "\(selector) was replaced while it was sent, by a method of another signature "
                  + "(\(own.signature)) than the hooked one (\(interface.signature)); send it again",
                selector: selector)
            }
            try implementation.run(&frame)
          }
          guard found != nil else {
            throw MessageError(
              .unrecognizedSelector, "`\(selector)`: the hooked method was removed",
              selector: selector)
          }
        })
    } catch {
      throw MessageError(error, selector)
    }
    super.init()
  }

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
