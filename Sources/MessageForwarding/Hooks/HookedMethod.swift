internal import BlockHooks
internal import Invocations
internal import TypeEncodings

// SAFETY, for the whole file: the function has the interface's signature, and is kept.

/// A method that is or was hooked: its chain of hooks as an implementation.
final class HookedMethod: Implementation, @unchecked Sendable {
  private let ownInterface: CallInterface
  private let function: HookedFunction

  /// - Parameters:
  ///   - selector: The method's name.
  ///   - interface: Its signature.
  ///   - hooksChanged: Called when hooks were installed or removed.
  ///   - below: What the hooks proceed to, asked at every call.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `outOfMemory`.
  init(
    _ selector: Selector, _ interface: CallInterface,
    hooksChanged: @escaping @Sendable () -> Void,
    below: @escaping @Sendable () -> Implementation?
  ) throws(MessageError) {
    ownInterface = interface
    do throws(HookError) {
      function = try HookedFunction(
        interface, "method", onError: ThrownErrors.receive, errors: ThrownErrors.passage,
        hooksChanged: hooksChanged
      ) { frame in
        guard let implementation = below() else {
          throw MessageError(
            .unrecognizedSelector, "`\(selector)`: the method below the hooks is gone",
            selector: selector)
        }
        // Another one may have taken its place meanwhile.
        let own = try implementation.interface
        guard own.isCalled(as: interface) else {
          throw MessageError(
            .typeMismatch,
            "\(selector) was replaced by a method of another signature (\(own.signature)) than that "
              + "which is hooked (\(interface.signature)) while it was sent; send it again",
            selector: selector)
        }
        try implementation.run(&frame)
      }
    } catch {
      throw MessageError(error, selector)
    }
    super.init()
  }

  /// Whether any hook is part of calls of what lies below: hooks hold for the signature that they
  /// were installed for.
  func hooksCalls(of below: Implementation?) -> Bool {
    guard function.hooksCalls else { return false }
    // What has no signature says why when it is called.
    guard let interface = try? below?.interface else { return true }
    return ownInterface.isCalled(as: interface)
  }

  /// Whether any hook is part of a call.
  var hooksCalls: Bool { function.hooksCalls }

  /// The hooks in place, outermost first.
  var hooks: [Hook] { function.hooks }

  /// Whether calls of an interface can go through the hooks.
  ///
  /// - Returns: False if the method has another signature now, and the hooks are all gone: then it
  ///   takes another object to hook it.
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
