/// An object that runs a closure when it goes.
final class Finaliser: Sendable {
  private let body: @Sendable () -> Void

  /// Creates an object that runs `body` at its end.
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
