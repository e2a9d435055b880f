/// The place where closures run that are not `Sendable`: an actor, or one call of
/// `withIsolationScope(_:)`.
public struct Isolation: Sendable, CustomStringConvertible {
  private enum Place: Sendable {
    case actor(IsolatingActor)
    case scope(ScopedValues)
  }

  private let place: Place

  /// An actor, which is not retained.
  init(_ actor: any Actor) { place = .actor(IsolatingActor(actor)) }

  init(_ scope: ScopedValues) { place = .scope(scope) }

  /// The actor; nil if it has been destroyed, or if this is a scope.
  public var actor: (any Actor)? {
    guard case .actor(let actor) = place else { return nil }
    return actor.actor
  }

  /// Whether the calling code runs there.
  public var isCurrent: Bool {
    switch place {
    case .actor(let actor): actor.isCurrent
    case .scope(let scope): scope.isCurrent
    }
  }

  /// The actor's type, or that it is a scope.
  public var description: String {
    switch place {
    case .actor(let actor): actor.name
    case .scope: "a scope"
    }
  }

  /// Checks that the calling code runs there.
  ///
  /// - Parameter user: The place of the code, which must be allowed what belongs there; nil for
  ///   any.
  /// - Throws: `wrongExecutor` if it does not.
  package func require(for user: Isolation? = nil) throws(IsolationError) {
    guard isCurrent, user.map(isShared(with:)) ?? true else { throw wrongExecutor }
  }

  /// The error of a call of a closure that belongs there by code that runs elsewhere.
  private var wrongExecutor: IsolationError {
    let (state, remedy) =
      switch place {
      case .actor(let place):
        switch place.actor {
        case nil: (", which has been destroyed,", "remove what calls it before that")
        case .some(let actor) where actor === MainActor.shared:
          ("", "call it from `await MainActor.run { … }`")
        case .some: ("", "call it from a function of the actor")
        }
      case .scope(let scope) where scope.isOver: (", which has ended,", "call it in the scope")
      case .scope: ("", "call it from the code of the scope")
      }
    return IsolationError(
      .wrongExecutor,
      "a closure of \(self)\(state) was called elsewhere, and did not run: \(remedy), or pass a "
        + "@Sendable closure without isolated(_:)", subject: description)
  }

  /// Whether code of another place may be given what belongs there, while both are current.
  ///
  /// An actor's code may: for the compiler, what it gets is the actor's. Code of another scope may
  /// not, because the compiler lets what comes out of a scope go to other tasks.
  package func isShared(with user: Isolation) -> Bool {
    switch (place, user.place) {
    case (.actor, .actor): true
    case (.scope(let scope), .scope(let other)): scope === other
    default: false
    }
  }

  // MARK: - Values

  /// Takes over a value that belongs there.
  func keep(_ value: ReleasedValue) {
    if case .scope(let scope) = place { scope.keep(value) }
  }

  /// Frees a value there: now, or at some time.
  func free(_ value: ReleasedValue) {
    switch place {
    case .actor(let actor): actor.free(value)
    case .scope(let scope): scope.free(value)
    }
  }

  /// Calls a closure at the end of the scope, if it is one.
  package func atEnd(_ body: @escaping () -> Void) {
    if case .scope(let scope) = place { scope.atEnd(body) }
  }
}
