public import BlockABI
public import Invocations
public import TypeEncodings

/// A method that was implemented on a delegate: the token that removes it.
///
/// Dropping the token removes nothing, and the token keeps nothing alive.
public struct DelegateMethod: Sendable {
  /// The message that it answers.
  public let selector: Selector

  /// The signature, receiver and selector included.
  public let signature: MethodSignature

  /// The block that implements it; nil where a Swift closure does, or once the method is gone.
  public var block: Block? { (implementation as? BlockImplementation)?.block }

  private weak let delegate: DynamicDelegate?
  private weak let implementation: Implementation?

  init(
    _ delegate: DynamicDelegate, _ implementation: Implementation, _ selector: Selector,
    _ signature: MethodSignature
  ) {
    self.delegate = delegate
    self.implementation = implementation
    self.selector = selector
    self.signature = signature
  }

  /// Whether messages run it: false once it is removed or replaced, or the delegate is dead.
  public var isImplemented: Bool {
    guard let delegate, let implementation else { return false }
    return delegate.ownMethods.ownImplementation(selector) === implementation
  }

  /// Removes the method, if no other has taken its place; once more does nothing.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func remove() -> Bool {
    guard let delegate, let implementation else { return false }
    return delegate.ownMethods.remove(implementation, selector) != nil
  }
}

extension DelegateMethod: CustomStringConvertible {
  /// The selector, the signature and whether messages run the method.
  public var description: String {
    "<method \(selector) \(signature), \(isImplemented ? "implemented" : "removed")>"
  }
}
