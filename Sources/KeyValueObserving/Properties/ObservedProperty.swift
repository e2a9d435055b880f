/// An `@Observed` property itself: what `$name` is.
///
/// It changes a collection in place, and tells observers which members changed:
/// `mutableArrayValue(forKey:)`.
///
/// ```swift
/// team.$members.append(ada)              // insertion at 0, new [ada]
/// try team.$members.remove(at: 0)        // removal at 0, old [ada]
/// team.$members.mutate { $0.reverse() }  // setting
/// ```
///
/// It is as visible as the property: `private(set)` does not hide it.
public struct ObservedProperty<Value> {
  @usableFromInline typealias Storage = (_ body: (inout Observed<Value>) -> Void) -> Void

  @usableFromInline let owner: AnyObject
  @usableFromInline let storage: Storage

  @inlinable
  init(owner: AnyObject, storage: @escaping Storage) {
    self.owner = owner
    self.storage = storage
  }

  /// The property's value.
  ///
  /// A getter that is observed reads the property itself: that it reads this is not seen.
  public var value: Value { read { $0 } }

  /// Changes the value in place, as one change of kind `setting`.
  ///
  /// - Parameter body: Changes the value. It must not use the property in another way meanwhile.
  /// - Returns: What the closure returns.
  @discardableResult
  public func mutate<Result>(_ body: (inout Value) -> Result) -> Result {
    var result: Result?
    change(ChangeOutline(.setting), old: { $0 }, new: { $0 }) {
      result = body(&$0)
      return true
    }
    // SAFETY: a change calls its closure once.
    return unsafe result.unsafelyUnwrapped
  }

  /// Reads something of the value.
  func read<Result>(_ body: (Value) -> Result) -> Result {
    access { body($0.value) }
  }

  /// Changes the value, and tells observers before and after.
  ///
  /// - Parameters:
  ///   - outline: What the change does; in a transaction it is a setting.
  ///   - old: What observers get as old, of the value before.
  ///   - new: What they get as new, of the value after.
  ///   - body: Changes the value; says whether as outlined. An observer that was called before may
  ///     have changed it.
  func change(
    _ outline: ChangeOutline, old: (Value) -> Value?, new: (Value) -> Value?,
    _ body: (inout Value) -> Bool
  ) {
    guard let list = access({ $0.observers }) else {
      _ = access { body(&$0.value) }
      return
    }
    let isWhole = ChangeTransaction.current != nil
    list.change(
      owner, isWhole ? ChangeOutline(.setting) : outline,
      old: { read { isWhole ? $0 : old($0) } },
      new: { other in read { isWhole || other ? $0 : new($0) } }
    ) {
      list.beginAccess()
      defer { list.endAccess() }
      return access { body(&$0.value) }
    }
  }

  private func access<Result>(_ body: (inout Observed<Value>) -> Result) -> Result {
    withoutActuallyEscaping(body) { body in
      var result: Result?
      storage { result = body(&$0) }
      // SAFETY: the storage calls its closure once.
      return unsafe result.unsafelyUnwrapped
    }
  }
}
