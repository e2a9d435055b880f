public import Invocations
@_exported public import IsolatedClosures

extension Isolated where Base == DynamicDelegate {
  /// Implements a message by a Swift closure that need not be `Sendable`.
  ///
  /// It is like `DynamicDelegate.implement(_:options:_:)`. A message that is not sent where
  /// `isolated(_:to:)` was called is refused: its sender gets the error `wrongExecutor`.
  ///
  /// ```swift
  /// var counts: [Int] = []
  /// let delegate = DynamicDelegate(pages)
  /// try isolated(delegate).implement("page:didLoad:") { (_: Page, count: Int) in counts.append(count) }
  /// ```
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - body: The closure; its errors are thrown to the sender.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod`.
  @discardableResult
  public func implement<each Argument, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping (repeat each Argument) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    // The arguments as one: a closure with a parameter pack cannot be a value of a generic type.
    let closure = closure { (arguments: (repeat each Argument)) throws -> Outcome in
      try body(repeat each arguments)
    }
    return try base.implement(selector, options: options) {
      (arguments: repeat each Argument) throws -> Outcome in
      let body: ((repeat each Argument)) throws -> Outcome
      do throws(IsolationError) { body = try closure.entered() } catch {
        throw MessageError(error, selector)
      }
      return try body((repeat each arguments))
    }
  }
}
