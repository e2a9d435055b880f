internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// A C function that is or was hooked at its import slots; it is never freed.
final class InterposedFunction: Sendable {
  let interface: CallInterface
  let replacement: SlotReplacement
  private let hooked: HookedFunction
  private let code: InterposedCode

  private struct User: Sendable {
    let hook: Hook

    /// The images whose calls the hook sees.
    let images: ImageFilter

    /// What replaces the chain while it has no other hook.
    let shortcut: Shortcut?
  }

  private struct Users {
    /// The hooks in place.
    var hooks: [User] = []

    /// The images of hooks that are being installed.
    var pending: [ImageFilter] = []
  }

  private let users = Locked(Users())

  /// Makes the function's code.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - definition: Its address.
  ///   - callee: The address of the code that is called innermost: the function, as a rule.
  ///   - interface: Its call interface.
  ///   - hooksChanged: Called without a lock held after hooks were installed or removed.
  /// - Throws: `outOfMemory`, `noExecutableMemory`, `unsupportedType`.
  init(
    _ symbol: String, _ definition: UInt, callee: UInt, _ interface: CallInterface,
    hooksChanged: @escaping @Sendable () -> Void
  ) throws(InterposingError) {
    self.interface = interface
    guard let callee = unsafe UnsafeRawPointer(bitPattern: callee) else {
      throw InterposingError(.symbolNotFound, "\(symbol) is defined as null", symbol: symbol)
    }
    let hooked = try InterposingError.about(symbol) { () throws(HookError) in
      // SAFETY: the callee has the interface's signature, and stays loaded while it is hooked.
      unsafe try HookedFunction(
        interface, "function", hookedCode: definition,
        onError: reportHandlerError, hooksChanged: hooksChanged, around: .code(callee))
    }
    self.hooked = hooked
    code = try InterposingError.about(symbol) { () throws(InvocationError) in
      // SAFETY: `hooked` is never freed, as this object is not.
      unsafe try InterposedCode(hooked: hooked.code, original: callee)
    }
    let codeAddress = unsafe UInt(bitPattern: code.address)
    InterposedAddresses.insert(codeAddress, for: definition)
    replacement = SlotReplacement(
      symbol: symbol, definition: definition, resting: UInt(bitPattern: callee),
      code: codeAddress)
  }

  /// Whether there are hooks, installed or suspended.
  var isUsed: Bool { hooked.isUsed }

  /// The hooks in place, outermost first.
  var hooks: [Hook] { hooked.hooks }

  /// The images whose calls must reach the hooks.
  var images: [ImageFilter] {
    let (hooks, pending) = users.withLock { ($0.hooks, $0.pending) }
    return pending + hooks.filter(\.hook.isInstalled).map(\.images)
  }

  /// Lets calls enter the chain or, if its only hook has a shortcut, that.
  ///
  /// One thread at a time may call this.
  func chooseCode() {
    let (hooks, pending) = users.withLock { ($0.hooks, $0.pending) }
    let installed = hooks.filter(\.hook.isInstalled)
    let isAlone = installed.count == 1 && pending.isEmpty
    let shortcut = isAlone ? installed[0].shortcut : nil
    // SAFETY: `hooked` is never freed, as this object is not, and shortcuts are not either.
    unsafe code.lead(to: shortcut?.code ?? hooked.code)
  }

  /// Begins the installation of a hook: calls reach this function until it is in place or was
  /// refused.
  func expect(_ images: ImageFilter) { users.withLock { $0.pending.append(images) } }

  /// Ends what `expect` began.
  func expectNoMore(_ images: ImageFilter) {
    users.withLock { users in
      if let index = users.pending.firstIndex(of: images) { users.pending.remove(at: index) }
    }
  }

  /// Installs a hook that `expect` announced.
  func install(
    _ definition: HookDefinition, in images: ImageFilter, _ shortcut: Shortcut?
  ) throws(HookError) -> Hook {
    defer { expectNoMore(images) }
    let hook = try hooked.install(definition)
    users.withLock { $0.hooks.append(User(hook: hook, images: images, shortcut: shortcut)) }
    return hook
  }

  /// Releases hooks that were removed, with what their conditions captured.
  func forgetEndedHooks() {
    // They are released while no lock is held.
    let ended = users.withLock { $0.hooks }.filter(\.hook.hasEnded)
    users.withLock { users in
      users.hooks.removeAll { used in ended.contains { $0.hook === used.hook } }
    }
  }
}

/// Code that does what a function does while it has one hook, without the chain and the handler.
@safe
struct Shortcut: Sendable {
  // SAFETY: immutable; the code at the address is never freed.
  nonisolated(unsafe) let code: UnsafeRawPointer

  /// Refers to code.
  ///
  /// ## Safety
  /// It must have the function's signature, and must never be freed.
  @unsafe
  init(_ code: UnsafeRawPointer) { unsafe self.code = unsafe code }
}
