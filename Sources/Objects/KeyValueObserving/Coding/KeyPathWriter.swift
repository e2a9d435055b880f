/// Sets the values of string key paths.
struct KeyPathWriter {
  let path: StringKeyPath

  /// The last object on the path, its key, and the nested dictionaries between that and the value.
  struct Place {
    var object: any KeyValueCoding
    var component: StringKeyPath.Component
    var dictionaries: [(values: any KeyedValues, component: StringKeyPath.Component)] = []
  }

  /// Sets the path's value, by a single call of one setter.
  func set(_ value: Any?, of root: any KeyValueCoding) throws(KeyValueError) {
    if let operation = path.components.first(where: { $0.operation != nil }) {
      throw path.error(
        .readOnly, at: operation, "what \(operation.name) gives cannot be set; set a key before it")
    }
    let place = try self.place(from: root)
    var value = value
    for (values, component) in place.dictionaries.reversed() {
      guard let changed = values.setting(value, forName: component.name) else {
        throw path.typeMismatch(type(of: values).valueType, value, component)
      }
      value = changed
    }
    try set(value, of: place.object, place.component)
  }

  func place(from root: any KeyValueCoding) throws(KeyValueError) -> Place {
    let reader = KeyPathReader(path)
    var place = Place(object: root, component: path.components[0])
    var value = try path.components.count > 1 ? reader.value(of: root, place.component) : nil
    var previous = place.component
    for (index, component) in path.components.enumerated().dropFirst() {
      let isLast = index == path.components.count - 1
      guard let present = value else {
        throw path.error(
          .nilLink, at: previous,
          "\(KeyValueError.quoted(previous.name)) is nil, so nothing in it can be set; set it first"
        )
      }
      if let object = objectWithKeys(present) {
        place = Place(object: object, component: component)
        value = try isLast ? nil : reader.value(of: object, component)
      } else if let values = present as? any KeyedValues,
        let next = values.value(forName: component.name)
      {
        place.dictionaries.append((values, component))
        value = next
      } else {
        throw members(of: present) == nil
          ? path.withoutKeys(present, component) : path.throughCollection(component)
      }
      previous = component
    }
    return place
  }

  private func set(
    _ value: Any?, of object: any KeyValueCoding, _ component: StringKeyPath.Component
  ) throws(KeyValueError) {
    let table = KeyTable.table(of: type(of: object))
    guard let key = table[component.name] else {
      do { return try object.setValue(value, forUndefinedKey: component.name) } catch {
        throw path.error(
          .unknownKey, error, of: object, "setValue(_:forUndefinedKey:)", component)
      }
    }
    switch write(value, to: key, of: object) {
    case .done: return
    case .typeMismatch where withoutOptionals(value) == nil:
      do { try object.setNilValue(forKey: component.name) } catch {
        throw path.error(.typeMismatch, error, of: object, "setNilValue(forKey:)", component)
      }
    case .foreign: throw path.foreign(key, of: object, component)
    case .typeMismatch(let expected): throw path.typeMismatch(expected, value, component)
    case .readOnly:
      throw path.error(
        .readOnly, at: component,
        "\"\(component.name)\" of \(type(of: object)) cannot be set; list a writable key path")
    }
  }
}

private enum Outcome {
  case done, foreign, readOnly
  case typeMismatch(Any.Type)
}

/// Sets the value of a key path whose types are not statically known.
private func write(_ value: Any?, to key: AnyKeyPath, of object: AnyObject) -> Outcome {
  func write<Root>(_ type: Root.Type) -> Outcome {
    guard let root = object as? Root else { return .foreign }
    func write<Value>(_ type: Value.Type) -> Outcome {
      guard let key = key as? ReferenceWritableKeyPath<Root, Value> else { return .readOnly }
      guard let value = converted(value, to: type) else { return .typeMismatch(type) }
      root[keyPath: key] = value
      return .done
    }
    return _openExistential(Swift.type(of: key).valueType, do: write)
  }
  return _openExistential(type(of: key).rootType, do: write)
}
