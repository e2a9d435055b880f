extension KeyValueObservable {
  /// Keeps a property and one of another object in step, converting their values:
  /// `bind(_:to:withKeyPath:options:)` with a value transformer.
  ///
  /// The property first takes the other property's value. From then on, each property passes its
  /// changes on, in the calls of its observers, unless the values correspond already. So a value is
  /// not passed back, and text that means the same number stays as the user wrote it. If an
  /// observer corrects a value that was passed on, the correction is passed back, once.
  ///
  /// Several bindings of the same two properties whose conversions disagree take time that grows
  /// exponentially with their number. In a transaction that changes both, one of the changes wins.
  ///
  /// Neither object is retained, and the end of either ends the binding. Both may be one object.
  /// They need the same protection, because each sets the other's property.
  ///
  /// ```swift
  /// person.bind(\.name, to: person, \.age, converting: { "aged \($0)" }) { Int($0.dropFirst(5)) }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - other: The other object.
  ///   - source: The other object's property.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - convert: Converts a value of the other property; nil leaves this property as it is.
  ///   - back: Converts a value of this property; nil leaves the other property as it is.
  /// - Returns: The binding, an observation of this object: it can be removed, and suspended.
  @discardableResult
  public func bind<Value: Equatable, Other: KeyValueObservable, Source: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>, to other: Other,
    _ source: ReferenceWritableKeyPath<Other, Source>, name: String? = nil,
    converting convert: @escaping @Sendable (Source) -> Value?,
    back: @escaping @Sendable (Value) -> Source?
  ) -> KeyValueObservation {
    follow(keyPath, other, source, name, convert, back)
  }

  /// Keeps a property equal to one of another object.
  ///
  /// Everything else is as with values that are converted.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - other: The other object.
  ///   - source: The other object's property.
  ///   - name: A name for the removal; several observers may have the same one.
  /// - Returns: The binding, an observation of this object: it can be removed, and suspended.
  @discardableResult
  public func bind<Value: Equatable, Other: KeyValueObservable>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>, to other: Other,
    _ source: ReferenceWritableKeyPath<Other, Value>, name: String? = nil
  ) -> KeyValueObservation {
    follow(keyPath, other, source, name, { $0 }, { $0 })
  }

  private func follow<Value: Equatable, Other: KeyValueObservable, Source: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>, _ other: Other,
    _ source: ReferenceWritableKeyPath<Other, Source>, _ name: String?,
    _ convert: @escaping (Source) -> Value?, _ back: @escaping (Value) -> Source?
  ) -> KeyValueObservation {
    let passing = PassingOn()
    let takeValue = { [weak self, weak other] in
      guard let self, let other, let value = convert(other[keyPath: source]) else { return }
      if self[keyPath: keyPath] != value, back(self[keyPath: keyPath]) != other[keyPath: source] {
        passing.run { self[keyPath: keyPath] = value }
      }
    }
    let passBack = { [weak self, weak other] in
      guard let self, let other, let value = back(self[keyPath: keyPath]) else { return }
      if other[keyPath: source] != value, convert(other[keyPath: source]) != self[keyPath: keyPath]
      {
        passing.run { other[keyPath: source] = value }
      }
    }
    return observeParts([keyPath], [], name) { whole in
      whole.add(
        other.observe(source, [], nil, isPart: true, ChangeHandler<Source> { _, _ in takeValue() }))
      whole.add(
        observe(keyPath, [], nil, isPart: true, ChangeHandler<Value> { _, _ in passBack() }))
      whole.bind(to: other)
      takeValue()
    }
  }
}

/// The number of values that a binding is passing on, each in the call for the one before.
private final class PassingOn {
  private var depth = 0

  /// Passes a value on, except as the answer to an answer: the conversions may never agree.
  func run(_ body: () -> Void) {
    guard depth < 2 else { return }
    depth += 1
    defer { depth -= 1 }
    body()
  }
}
