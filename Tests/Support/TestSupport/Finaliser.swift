/// An object that runs a closure when it is deinitialised.
public final class Finaliser: Sendable {
  private let body: @Sendable () -> Void

  /// Creates an object that runs `body` in its `deinit`.
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
