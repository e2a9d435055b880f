internal import BlockRuntimeThreads

/// The closures that are called after a reload.
private let handlers = Locked<[@Sendable () -> Void]>([])

/// Calls a closure each time after functions of the program were replaced while it runs.
///
/// `Scripts/demo reload` replaces functions; without it the closure is never called. The closure
/// can compute again what the previous functions have computed, such as a cached page. This
/// function is experimental.
///
/// - Parameter handler: Runs on a thread of the reload's own, under no lock. The closure is kept
///   for the rest of the program.
public func onReload(_ handler: @escaping @Sendable () -> Void) {
  handlers.withLock { $0.append(handler) }
}

/// Calls the closures; the preloaded agent finds this function by its name.
@_cdecl("blockRuntimeDidReload")
package func didReload() {
  for handler in handlers.withLock({ $0 }) { handler() }
}
