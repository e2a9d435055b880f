public import Invocations
@_exported public import IsolatedClosures

extension Isolated where Base == DynamicDelegate {
  /// Implements a message by a Swift closure that need not be `Sendable`.
  ///
  /// It is like `DynamicDelegate.implement(_:options:_:)`. A message that is not sent by the
  /// actor's code, or by that of the scope, is refused: its sender gets the error `wrongExecutor`.
  /// Its arguments and its result are `Sendable`: the sender may go on to send them to another
  /// task.
  ///
  /// ```swift
  /// @MainActor final class Counts {
  ///   var counts: [Int] = []
  ///   func start(_ delegate: DynamicDelegate) throws {
  ///     try isolated(delegate).implement("page:didLoad:") { [weak self] (_: Page, count: Int) in
  ///       self?.counts.append(count)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Do not pass a function that takes a function: the compiler crashes. Pass a closure that calls
  /// it, `{ (a: Int, b: …) in f(a, b) }`.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - body: The closure; its errors are thrown to the sender.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod`.
  @discardableResult
  public func implement<each Argument: Sendable, Outcome: Sendable>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping (repeat each Argument) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    // The arguments are one tuple: a closure with a parameter pack cannot be a value of a generic
    // type.
    let closure = closure { (arguments: (repeat each Argument)) throws -> Outcome in
      try body(repeat each arguments)
    }
    let method = try base.implement(selector, options: options) {
      (arguments: repeat each Argument) throws -> Outcome in
      let body: ((repeat each Argument)) throws -> Outcome
      do throws(IsolationError) { body = try closure.entered() } catch {
        throw MessageError(error, selector)
      }
      return try body((repeat each arguments))
    }
    return ending(method)
  }

  /// Sets the object, which need not be `Sendable`, that receives the messages which are not
  /// implemented on the delegate.
  ///
  /// It is like `DynamicDelegate.setRealDelegate(_:)`. A message for it that is not sent by the
  /// actor's code, or by that of the scope, is refused: its sender gets the error `wrongExecutor`.
  ///
  /// - Parameter receiver: The real delegate; nil for none.
  /// - Throws: `delegateCycle`; `invalidMethod` on a class receiver.
  public func setRealDelegate(_ receiver: (any MessageReceiver)?) throws(MessageError) {
    try base.setRealDelegate(receiver, isolation)
  }

  /// The object that receives the messages which are not implemented on the delegate, if any code
  /// may call it, or if it was set by the actor's code or that of the scope.
  public var realDelegate: (any MessageReceiver)? {
    base.realDelegate { $0.isCurrent && $0.isShared(with: isolation) }
  }
}
