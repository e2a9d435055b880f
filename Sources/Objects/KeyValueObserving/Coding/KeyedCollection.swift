internal import CKeyValueObserving.Observing

/// A property that contains a collection, found by its key.
///
/// `Storage` is `any ElementStorage` or `any MemberStorage`.
struct KeyedCollection<Storage> {
  let object: any KeyValueCoding
  let path: StringKeyPath
  private let component: StringKeyPath.Component
  private let key: AnyKeyPath

  /// An empty collection of the property's type.
  private let empty: Storage

  /// Finds the property that a key path names.
  ///
  /// - Parameters:
  ///   - path: The key path.
  ///   - root: The object where it begins.
  ///   - kind: The type of collection, in words.
  ///   - makeEmpty: Makes an empty collection of a type; nil if the type is not such a collection.
  /// - Throws: Why the path cannot be followed; `typeMismatch` for another type.
  init(
    _ path: StringKeyPath, of root: any KeyValueCoding, kind: String,
    _ makeEmpty: (Any.Type) -> Storage?
  ) throws(KeyValueError) {
    let writer = KeyPathWriter(path: path)
    let place = try writer.place(from: root)
    if let entry = place.dictionaries.first {
      throw path.error(
        .readOnly, at: entry.component,
        "a collection in a dictionary cannot be changed in place; set the dictionary's key")
    }
    let object = place.object
    let table = KeyTable.table(of: Swift.type(of: object))
    guard let key = table[place.component.name] else {
      throw path.placed(object.undefinedKeyError(place.component.name), at: place.component)
    }
    let valueType = Swift.type(of: key).valueType
    let type = (valueType as? any OptionalValue.Type)?.wrappedType ?? valueType
    guard let empty = makeEmpty(type) else {
      throw path.error(
        .typeMismatch, at: place.component,
        "\"\(place.component.name)\" is a \(valueType), not \(kind)")
    }
    self.object = object
    self.path = path
    component = place.component
    self.key = key
    self.empty = empty
  }

  /// The collection; empty if the property is nil.
  var storage: Storage {
    let tracker = cbr_observing_is_plain() ? nil : DependencyTracker.current
    let value = if let tracker { tracker.read(key, of: object) } else { object[keyPath: key] }
    return storage(value)
  }

  private func storage(_ value: Any?) -> Storage { withoutOptionals(value) as? Storage ?? empty }

  /// Sets the collection, and notifies observers of the members that changed.
  ///
  /// - Parameters:
  ///   - outline: The outline of the change.
  ///   - old: The members that are removed; nil for an insertion.
  ///   - new: The members that are inserted; nil for a removal.
  ///   - change: Makes the new collection from the present one; nil if that was changed since the
  ///     change began.
  /// - Returns: Whether the collection was set.
  /// - Throws: `readOnly`.
  func change(
    _ outline: ChangeOutline, old: Any?, new: Any?, _ change: (Storage) -> Any?
  ) throws(KeyValueError) -> Bool {
    func changeProperty<Root: KeyValueObservable>(_ root: Root.Type) -> Bool? {
      func changeProperty<Value>(_ type: Value.Type) -> Bool? {
        guard let object = object as? Root, let key = key as? ReferenceWritableKeyPath<Root, Value>
        else { return nil }
        var isChanged = false
        // Without members, `as?` would make nil of an optional type a value.
        let (old, new) = (old.flatMap { $0 as? Value }, new.flatMap { $0 as? Value })
        object.changeMembers(of: key, outline, old: old, new: new) {
          guard let value = change(storage(object[keyPath: key])) as? Value else {
            return false
          }
          object[keyPath: key] = value
          isChanged = true
          return true
        }
        return isChanged
      }
      return _openExistential(Swift.type(of: key).valueType, do: changeProperty)
    }
    let root = Swift.type(of: key).rootType as? any KeyValueObservable.Type
    guard let isChanged = root.flatMap({ changeProperty($0) }) else {
      throw path.error(
        .readOnly, at: component,
        "\"\(component.name)\" of \(Swift.type(of: object)) cannot be set; list a writable key path"
      )
    }
    return isChanged
  }

  /// Values in the type of the elements.
  ///
  /// - Throws: `typeMismatch` for a value that cannot be converted.
  func converted<Element>(
    _ values: some Sequence<Any?>, to type: Any.Type, by convert: (Any?) -> Element?
  ) throws(KeyValueError) -> [Element] {
    var elements: [Element] = []
    for value in values {
      guard let element = convert(value) else {
        let given = withoutOptionals(value).map { "\(Swift.type(of: $0))" } ?? "nil"
        throw path.error(
          .typeMismatch, at: component, "\"\(component.name)\" contains \(type), not \(given)")
      }
      elements.append(element)
    }
    return elements
  }
}
