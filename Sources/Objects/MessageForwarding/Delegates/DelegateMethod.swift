public import BlockABI
public import Invocations
public import IsolatedClosures
public import TypeEncodings

/// A method that was implemented on a delegate: the token that removes it.
///
/// Dropping the token does not remove the method, and the token retains neither the method nor the
/// delegate.
public struct DelegateMethod: Removable {
  /// The message that the method answers.
  public let selector: Selector

  /// The signature, receiver and selector included.
  public let signature: MethodSignature

  /// The block that implements the method; nil if a Swift closure does, or the method was removed.
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

  /// Whether messages run the method: false after it was removed or replaced, or the delegate has
  /// died.
  public var isImplemented: Bool {
    guard let delegate, let implementation else { return false }
    return delegate.ownMethods.ownImplementation(selector) === implementation
  }

  /// Removes the method; if it was removed or replaced before, does nothing.
  ///
  /// - Returns: True if this call removed the method.
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
