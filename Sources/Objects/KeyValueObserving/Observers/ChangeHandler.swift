/// An observer's closure, in a box that an observation can release by itself.
@usableFromInline
final class ChangeHandler<Value> {
  @usableFromInline typealias Body = (_ object: AnyObject, _ change: Change<Value>) throws -> Void

  @usableFromInline let body: Body

  @inlinable
  init(_ body: @escaping Body) { self.body = body }
}

extension ChangeHandler {
  /// A handler that does nothing if the old and new values are equal.
  ///
  /// - Parameter options: The observer's options: it does not receive values that are only
  ///   compared.
  /// - Returns: The handler to run instead; nil if the values' type is not `Equatable`.
  func leavingOutEqualValues(_ options: ObservingOptions) -> ChangeHandler<Value>? {
    guard let type = Value.self as? any Equatable.Type else { return nil }
    let areEqual = Self.equality(type)
    return ChangeHandler { [body] object, change in
      if !change.isPrior, change.kind == .setting, let old = change.old,
        let new = change.new, areEqual(old, new)
      {
        return
      }
      try body(object, change.demanded(by: options))
    }
  }

  /// Whether two values are equal; false if one is missing, or their type is not `Equatable`.
  static func areEqual(_ first: Value?, _ second: Value?) -> Bool {
    guard let type = Value.self as? any Equatable.Type, let first, let second else { return false }
    return equality(type)(first, second)
  }

  private static func equality<Other: Equatable>(
    _ type: Other.Type
  ) -> (Value, Value) -> Bool {
    { first, second in
      guard let first = first as? Other, let second = second as? Other else { return false }
      return first == second
    }
  }
}

/// The interface of a `ValueReader`, whatever the type of its value.
class AnyValueReader {
  /// Delivers the present value to an observer.
  ///
  /// - Parameters:
  ///   - observation: The observer, whose value this reads.
  ///   - object: The observed object.
  ///   - old: The old value of the change, if it is known.
  func deliver(to observation: KeyValueObservation, _ object: AnyObject, old: Any?) {}
}

/// A closure that reads an observed value of its object, in a box.
final class ValueReader<Value>: AnyValueReader {
  private let body: (AnyObject) -> Value

  init(_ body: @escaping (AnyObject) -> Value) { self.body = body }

  /// The present value; the read is not tracked.
  func value(of object: AnyObject) -> Value { DependencyTracker.suspended { body(object) } }

  override func deliver(to observation: KeyValueObservation, _ object: AnyObject, old: Any?) {
    let new = observation.demands.contains(.new) ? value(of: object) : nil
    var change = Change(old: old as? Value, new: new)
    if observation.demands.contains(.prior) {
      change.add(ChangePair(leftOut: [ObjectIdentifier(observation)]), nil)
    }
    observation.deliverAlone(object, change)
  }
}
