public import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

extension ImportedFunction: HookTarget {
  /// Installs a hook that is described by a value.
  ///
  /// All hooks of one function are nested, whatever their images. Arguments are numbered from 0, as
  /// there is no hidden argument.
  ///
  /// Handlers run on the caller's thread, under whatever locks the caller holds: a handler of a
  /// function such as `malloc` must not wait for anything that another thread may hold.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing. The removal
  ///   of the last hook restores the slots.
  /// - Throws: `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`, and the
  ///   errors of installing a hook, such as `noPosition` for `.death`. The function is unchanged
  ///   then.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(InterposingError) -> Hook {
    try install(definition, checksCallers: !images.isAll)
  }

  /// Installs a hook.
  ///
  /// - Parameters:
  ///   - definition: The hook.
  ///   - shortcut: The code that calls enter while the function has no other hook; nil for none.
  ///   - checksCallers: Whether calls are left out that other images make: they arrive if the
  ///     function has hooks for other images, too.
  /// - Returns: The token that removes this installation.
  /// - Throws: As `install(_:)`.
  func install(
    _ definition: HookDefinition, _ shortcut: Shortcut? = nil, checksCallers: Bool
  ) throws(InterposingError) -> Hook {
    let function = try Interposer.shared.function(symbol, self.definition, interface)
    var definition = try InterposingError.about(symbol) { () throws(HookError) in
      try definition.prepared(
        at: InstallationPoint(interface, code: self.definition, title: symbol))
    }
    if checksCallers {
      guard let callers = CallerImages(sharesSlots ? images.withoutRuntime : images) else {
        throw InterposingError(
          .outOfMemory, "there is no memory for the images of \(symbol); free some", symbol: symbol)
      }
      definition.conditions.scope = { callers.admitsCaller }
    }
    if hooksCallsByHandlers {
      definition.skipsOwnCalls = true
      definition.handler = { [handler = definition.handler, address = self.definition] call in
        try ReentrancyGuard.handlingOpenly(address) { try handler(&call) }
      }
    }
    try Interposer.shared.prepare(function, images)
    // If the installation failed, the slots need not lead to the hooks.
    defer { Interposer.shared.hooksDidChange(self.definition) }
    return try InterposingError.about(symbol) { () throws(HookError) in
      try function.install(definition, in: images, shortcut)
    }
  }

  /// Whether calls that are left out go through the same slots as others, as in a program that
  /// contains the libraries.
  var sharesSlots: Bool {
    ImageFilter.containsLibraries && (images.include.isEmpty || !images.exclude.isEmpty)
  }

  /// Hooks several functions faster, as their slots are written together when `body` has returned.
  ///
  /// - Parameter body: Installs hooks, which are entered from then on.
  /// - Throws: What `body` throws, and `protectedMemory`.
  package static func together(
    _ body: () throws(InterposingError) -> Void
  ) throws(InterposingError) { try Interposer.shared.together(body) }

  /// The hooks in place, outermost first, whatever their images.
  public var hooks: [Hook] { Interposer.shared.hooks(of: definition) }
}
