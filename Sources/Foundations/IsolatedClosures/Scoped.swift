/// A token that removes what it stands for: a hook, an observer, a handler; or cancels a delayed
/// block.
///
/// Dropping a token removes nothing; dropping its `scoped()` does.
public protocol Removable: Sendable {
  /// Removes what the token stands for; if it was removed before, does nothing.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  func remove() -> Bool
}

extension Removable {
  /// Ties the token to a scope: dropping the returned value removes what the token stands for.
  public func scoped() -> Scoped<Self> { Scoped(token: self) }
}

/// A token whose `remove()` is called when this value goes out of scope.
public struct Scoped<Token: Removable>: ~Copyable, Sendable {
  /// The token.
  public let token: Token

  fileprivate init(token: Token) { self.token = token }

  deinit { token.remove() }
}
