public import CKeyValueObserving.Observing

/// An `@Observed` property itself, as `$name` returns it.
///
/// Its functions change a collection in place, and notify observers of the members that changed:
/// `mutableArrayValue(forKey:)`.
///
/// ```swift
/// team.$members.append(ada)              // insertion at 0, new [ada]
/// try team.$members.remove(at: 0)        // removal at 0, old [ada]
/// team.$members.mutate { $0.reverse() }  // setting
/// ```
///
/// `$name` has the access level of the property's getter: `private(set)` does not restrict it.
public struct ObservedProperty<Value> {
  @usableFromInline typealias Storage = (_ body: (inout Observed<Value>) -> Void) -> Void

  @usableFromInline let owner: AnyObject

  /// The address of the storage in the owner; 0 if it is not there.
  @usableFromInline let address: UInt

  /// Accesses the storage that is not in the owner.
  @usableFromInline let storage: Storage?

  @inlinable
  init(owner: AnyObject, address: UInt, storage: Storage?) {
    self.owner = owner
    self.address = address
    self.storage = storage
  }

  /// Creates a property whose storage is in its object.
  ///
  /// - Parameters:
  ///   - owner: The object of the property.
  ///   - address: The address of the storage. If it is that of a copy outside of the object, the
  ///     result is nil.
  @inlinable @inline(__always)
  init?(of owner: AnyObject, at address: UInt) {
    let object = unsafe Unmanaged.passUnretained(owner).toOpaque()
    // SAFETY: only addresses are compared, and the object's class is read.
    guard unsafe cbr_is_in_object(object, address, MemoryLayout<Observed<Value>>.size) else {
      return nil
    }
    self.init(owner: owner, address: address, storage: nil)
  }

  /// Creates a property whose storage is accessed by a key path.
  ///
  /// - Parameters:
  ///   - owner: The object of the property.
  ///   - path: Returns the key path to the storage, which is created when it is needed.
  @inlinable
  @inline(never)
  init<Owner: AnyObject>(
    of owner: Owner, _ path: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
  ) {
    let path = path()
    self.init(owner: owner, address: 0) { body in body(&owner[keyPath: path]) }
  }

  /// The property's value.
  ///
  /// Paths do not track reads of it: a getter that is observed must read the property itself.
  public var value: Value { access { $0.value } }

  /// Changes the value in place, as one change of kind `setting`.
  ///
  /// - Parameter body: Changes the value. Neither the closure nor the deinits of values that it
  ///   removes may use the property in another way; values that it returns are released later.
  /// - Returns: What the closure returns.
  @discardableResult
  public func mutate<Result>(_ body: (inout Value) -> Result) -> Result {
    change(ChangeOutline(.setting), old: { $0 }, new: { $0 }) { (true, body(&$0)) }.removed
  }

  /// Calls a closure with the value; the closure may use the property, which is not being accessed.
  func read<Result>(_ body: (Value) -> Result) -> Result { body(value) }

  /// Changes the value, and notifies observers before and after.
  ///
  /// - Parameters:
  ///   - outline: The outline of the change; in a transaction, the change is a setting.
  ///   - old: Makes the old value for observers of the value before the change.
  ///   - new: Makes the new value for observers of the value after the change.
  ///   - body: Changes the value; returns whether the change is as outlined, which it is not if an
  ///     observer's prior call has changed the value, and what it removed.
  /// - Returns: What the closure returns; what it removed is released after the access, because its
  ///   deinit may use the property.
  @discardableResult
  func change<Removed>(
    _ outline: ChangeOutline, old: (Value) -> Value?, new: (Value) -> Value?,
    _ body: (inout Value) -> (isAsOutlined: Bool, removed: Removed)
  ) -> (isAsOutlined: Bool, removed: Removed) {
    guard let list = access({ $0.observers }) else { return access { body(&$0.value) } }
    var result: (isAsOutlined: Bool, removed: Removed)?
    let isWhole = ChangeTransaction.current != nil
    let outline = isWhole ? ChangeOutline(.setting) : outline
    list.change(
      owner, outline,
      old: {
        read { value in
          list.note(value, of: owner, before: outline)
          return isWhole ? value : old(value)
        }
      },
      new: { other in read { isWhole || other ? $0 : new($0) } }
    ) {
      list.beginInPlaceChange()
      defer { list.endInPlaceChange() }
      let changed = access { body(&$0.value) }
      result = changed
      return changed.isAsOutlined
    }
    // SAFETY: `ObserverList.change` calls the closure exactly once, before it returns.
    return unsafe result.unsafelyUnwrapped
  }

  @inlinable
  @inline(__always)
  func access<Result>(_ body: (inout Observed<Value>) -> Result) -> Result {
    guard let storage else {
      // SAFETY: the address is that of the property in its owner, which this value retains.
      let place = unsafe UnsafeMutablePointer<Observed<Value>>(bitPattern: address)
        .unsafelyUnwrapped
      return unsafe withUnsafeTemporaryAllocation(of: cbr_access.self, capacity: 1) { access in
        let access = unsafe access.baseAddress.unsafelyUnwrapped
        unsafe cbr_access_begin(access, place)
        defer {
          unsafe cbr_access_end(access)
          extendLifetime(owner)
        }
        return unsafe body(&place.pointee)
      }
    }
    return withoutActuallyEscaping(body) { body in
      var result: Result?
      storage { result = body(&$0) }
      // SAFETY: the storage calls its closure exactly once, before it returns.
      return unsafe result.unsafelyUnwrapped
    }
  }

  /// Changes the value if the property has no observers.
  ///
  /// - Returns: Whether it was changed.
  @inlinable
  @inline(__always)
  func changeUnobserved(_ body: (inout Value) -> Void) -> Bool {
    access { storage in
      guard storage.observers == nil else { return false }
      body(&storage.value)
      return true
    }
  }
}
