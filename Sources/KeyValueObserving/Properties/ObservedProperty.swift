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
  public var value: Value { access { $0.value } }

  /// Changes the value in place, as one change of kind `setting`.
  ///
  /// - Parameter body: Changes the value. It must not use the property in another way meanwhile, nor
  ///   may the ends of what it removes, unless it hands that out.
  /// - Returns: What the closure returns.
  @discardableResult
  public func mutate<Result>(_ body: (inout Value) -> Result) -> Result {
    change(ChangeOutline(.setting), old: { $0 }, new: { $0 }) { (true, body(&$0)) }.removed
  }

  /// Reads something of the value, which may use the property: nobody accesses it meanwhile.
  func read<Result>(_ body: (Value) -> Result) -> Result { body(value) }

  /// Changes the value, and tells observers before and after.
  ///
  /// - Parameters:
  ///   - outline: What the change does; in a transaction it is a setting.
  ///   - old: What observers get as old, of the value before.
  ///   - new: What they get as new, of the value after.
  ///   - body: Changes the value; says whether as outlined, and hands out what it removed. An
  ///     observer that was called before may have changed it.
  /// - Returns: What the closure returns; what it removed ends when nobody accesses the property any
  ///   more: its end may use the property.
  @discardableResult
  func change<Removed>(
    _ outline: ChangeOutline, old: (Value) -> Value?, new: (Value) -> Value?,
    _ body: (inout Value) -> (isAsOutlined: Bool, removed: Removed)
  ) -> (isAsOutlined: Bool, removed: Removed) {
    guard let list = access({ $0.observers }) else { return access { body(&$0.value) } }
    var result: (isAsOutlined: Bool, removed: Removed)?
    let isWhole = ChangeTransaction.current != nil
    list.change(
      owner, isWhole ? ChangeOutline(.setting) : outline,
      old: { read { isWhole ? $0 : old($0) } },
      new: { other in read { isWhole || other ? $0 : new($0) } }
    ) {
      list.beginAccess()
      defer { list.endAccess() }
      let changed = access { body(&$0.value) }
      result = changed
      return changed.isAsOutlined
    }
    // SAFETY: a list calls the closure once.
    return unsafe result.unsafelyUnwrapped
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
