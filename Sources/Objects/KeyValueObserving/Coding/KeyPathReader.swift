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
    let table = KeyTable.table(of: type(of: object))
    guard let key = table[component.name] else {
      if component.name == "self" { return object }
      do { return withoutOptionals(try object.value(forUndefinedKey: component.name)) } catch {
        throw path.error(.unknownKey, error, of: object, "value(forUndefinedKey:)", component)
      }
    }
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
      guard let operation = component.operation else {
        value = try self.value(of: present, component, level)
        continue
      }
      guard let collection = members(of: present) else {
        throw path.error(
          .notACollection, at: component,
          "\(component.name) takes a collection, not \(type(of: present)); write it after one")
      }
      if operation == .count { return collection.count }
      let values = try values(of: collection, level, component) { member throws(KeyValueError) in
        try self.value(of: member, from: index + 1, level: level + 1)
      }
      do throws(CollectionOperator.Refusal) { return try operation.result(of: values) } catch {
        throw path.error(error.code, at: component, error.message)
      }
    }
    return value
  }

  /// The value of a key of an object or a dictionary, or the values of the key of a collection's
  /// members.
  private func value(
    of present: Any, _ component: StringKeyPath.Component, _ level: Int
  ) throws(KeyValueError) -> Any? {
    if let object = objectWithKeys(present) { return try value(of: object, component) }
    if let value = (present as? any KeyedValues)?.value(forName: component.name) { return value }
    if component.name == "self" { return present }
    guard let collection = members(of: present) else { throw path.withoutKeys(present, component) }
    guard !needsOperators else { throw path.throughCollection(component) }
    return try values(of: collection, level, component) { member throws(KeyValueError) in
      guard let member = withoutOptionals(member) else { return nil }
      return try self.value(of: member, component, level + 1)
    }
  }

  /// Computes a value for each of a collection's members.
  private func values(
    of collection: any Collection, _ level: Int, _ component: StringKeyPath.Component,
    _ value: (Any) throws(KeyValueError) -> Any?
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
    for member in collection.erased { values.append(try value(member)) }
    return values
  }
}

extension Collection {
  fileprivate var erased: [Any] { map { $0 } }
}
