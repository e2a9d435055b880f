/// Evaluates string key paths.
final class KeyPathReader {
  private let path: StringKeyPath
  private let tracker: DependencyTracker?

  /// Whether members of collections may be read only by operators, as in an observed path.
  private let needsOperators: Bool

  /// The number of members of nested collections that were visited.
  private var nestedMembers = 0

  private static var mostNestedMembers: Int { 1 << 20 }
  private static var mostLevels: Int { 32 }

  init(_ path: StringKeyPath, _ tracker: DependencyTracker? = nil, needsOperators: Bool = false) {
    self.path = path
    self.tracker = tracker
    self.needsOperators = needsOperators
  }

  /// The value of the path; nil if a value on the path is nil.
  func value(of root: any KeyValueCoding) throws(KeyValueError) -> Any? {
    try value(of: root, from: 0, level: 0)
  }

  /// The value of a single key of an object.
  func value(
    of object: any KeyValueCoding, _ component: StringKeyPath.Component
  ) throws(KeyValueError) -> Any? {
    guard let key = try keyPath(of: object, component) else { return object }
    let value = if let tracker { tracker.read(key, of: object) } else { object[keyPath: key] }
    guard let value else { throw path.foreign(key, of: object, component) }
    return withoutOptionals(value)
  }

  private func value(
    of start: Any?, from index: Int, level: Int
  ) throws(KeyValueError) -> Any? {
    var value = withoutOptionals(start)
    for index in index..<path.components.count {
      guard let present = value else { return nil }
      let component = path.components[index]
      if let operation = component.operation {
        guard let collection = members(of: present) else {
          throw path.error(
            .notACollection, at: component,
            "\(component.name) takes a collection, not \(type(of: present)); write it after one")
        }
        if operation == .count {
          value = collection.count
          continue
        }
        let values = try self.values(of: collection, from: index + 1, level, component)
        return try operation.result(of: values) { path.error($0, at: component, $1) }
      }
      if let object = objectWithKeys(present) {
        value = try self.value(of: object, component)
      } else if let next = (present as? any KeyedValues)?.value(forName: component.name) {
        value = next
      } else if component.name != "self" {
        guard let collection = members(of: present) else {
          throw path.withoutKeys(present, component)
        }
        guard !needsOperators else { throw path.throughCollection(component) }
        return try values(of: collection, from: index, level, component)
      }
    }
    return value
  }

  /// The values of the rest of the path for the members of a collection.
  private func values(
    of collection: any Collection, from index: Int, _ level: Int,
    _ component: StringKeyPath.Component
  ) throws(KeyValueError) -> [Any?] {
    let count = collection.count
    if level > 0 { nestedMembers += count }
    guard level < Self.mostLevels, nestedMembers <= Self.mostNestedMembers else {
      throw path.error(
        .tooManyMembers, at: component,
        "there are too many collections within collections; evaluate the path in parts")
    }
    var values: [Any?] = []
    values.reserveCapacity(count)
    for member in collection.erased {
      values.append(try value(of: member, from: index, level: level + 1))
    }
    return values
  }

  /// The key path of a key; nil for the key `self`.
  private func keyPath(
    of object: any KeyValueCoding, _ component: StringKeyPath.Component
  ) throws(KeyValueError) -> AnyKeyPath? {
    let table = KeyTable.table(of: type(of: object))
    if let key = table[component.name] { return key }
    if component.name == "self" { return nil }
    throw path.unknown(component, of: object, table)
  }
}

extension Collection {
  fileprivate var erased: [Any] { map { $0 } }
}

// MARK: Errors

extension StringKeyPath {
  func unknown(
    _ component: Component, of object: any KeyValueCoding, _ table: KeyTable
  ) -> KeyValueError {
    let name = KeyValueError.quoted(component.name)
    return error(
      .unknownKey, at: component,
      "\(type(of: object)) has no key \(name): \(table.hint(for: component.name))")
  }

  func foreign(
    _ key: AnyKeyPath, of object: any KeyValueCoding, _ component: Component
  ) -> KeyValueError {
    error(
      .foreignKeyPath, at: component,
      "the keys of \(type(of: object)) list \"\(component.name)\" with a key path of "
        + "\(type(of: key).rootType); list one that begins at the class")
  }

  func withoutKeys(_ value: Any, _ component: Component) -> KeyValueError {
    error(
      .noKeys, at: component,
      "\(type(of: value)) has no keys, thus no \(KeyValueError.quoted(component.name)); "
        + "links are objects that are KeyValueCoding, and dictionaries with strings as keys")
  }

  func throughCollection(_ component: Component) -> KeyValueError {
    error(
      .pathThroughCollection, at: component,
      "\(KeyValueError.quoted(component.name)) is a key of a collection's members; write an "
        + "operator before it, such as @unionOfObjects, or use the members themselves")
  }
}
