@_exported public import IsolatedClosures

extension Isolated where Base: KeyValueObservable {
  /// Observes the value that a key path names; neither the observer nor the class need be
  /// `Sendable`.
  ///
  /// It is like `KeyValueObservable.observe(_:options:name:_:)`, and suits classes of the main
  /// actor, which are `Sendable`. A change that is made neither by the actor's code nor by that of
  /// the scope is not delivered, and the error `wrongExecutor` is written to standard error.
  ///
  /// ```swift
  /// @MainActor final class Model: KeyValueObservable {
  ///   @Observed var name = ""
  /// }
  /// @MainActor final class Label {
  ///   var text = ""
  ///   func show(_ model: Model) {
  ///     isolated(model).observe(\.name) { [weak self] model, _ in self?.text = model.name }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; one that throws is removed.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Base, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Base, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let observation = base.observe(
      keyPath, options, name, changeHandler(handler) { $0 }, Base.plainDelivery(of: keyPath))
    return ending(observation)
  }

  /// Observes an optional value; the changes' values are not doubly optional.
  ///
  /// Everything else is as with other values.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; one that throws is removed.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observe<Value>(
    _ keyPath: KeyPath<Base, Value?>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Base, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let observation = base.observe(
      keyPath, options, name, changeHandler(handler) { $0.compactMap { $0 } },
      Base.plainDelivery(of: keyPath))
    return ending(observation)
  }

  private func changeHandler<Value, Given>(
    _ handler: @escaping (Base, Change<Given>) throws -> Void,
    _ given: @escaping (Change<Value>) -> Change<Given>
  ) -> ChangeHandler<Value> {
    let closure = closure(handler)
    return ChangeHandler { object, change in
      let handler: (Base, Change<Given>) throws -> Void
      do throws(IsolationError) { handler = try closure.entered() } catch {
        return reportHandlerError(error)
      }
      // SAFETY: a handler runs with the observed object, which is a `Base`.
      try handler(unsafe unsafeDowncast(object, to: Base.self), given(change))
    }
  }
}
