/// An object that runs a closure when it goes.
public final class Finaliser: Sendable {
  private let body: @Sendable () -> Void

  /// Creates an object that runs `body` at its end.
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
