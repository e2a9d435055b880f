internal import LoadedClasses

/// A collection of the standard library, whose elements are read by the library itself: its storage
/// is described by no metadata.
protocol StoredElements {
  /// Reads the references that the elements are or have.
  static func read(_ path: String, at place: Place, by reader: inout ReferenceReader)
}

extension StoredElements where Self: Sequence {
  static func read(_ path: String, at place: Place, by reader: inout ReferenceReader) {
    let type = TypeMetadata(Element.self)
    guard !type.isTrivial else { return }
    // SAFETY: the reader was told that a value of this type is at the place.
    let elements = unsafe place.pointer.assumingMemoryBound(to: Self.self).pointee
    for (index, element) in elements.enumerated() where !reader.isFull {
      unsafe withUnsafePointer(to: element) {
        unsafe reader.read("\(path)[\(index)]", at: Place($0), type)
      }
    }
  }
}

extension Array: StoredElements {}
extension ArraySlice: StoredElements {}
extension ContiguousArray: StoredElements {}
extension Set: StoredElements {}

extension Dictionary: StoredElements {
  static func read(_ path: String, at place: Place, by reader: inout ReferenceReader) {
    let (keyType, valueType) = (TypeMetadata(Key.self), TypeMetadata(Value.self))
    guard !keyType.isTrivial || !valueType.isTrivial else { return }
    // SAFETY: as above.
    let entries = unsafe place.pointer.assumingMemoryBound(to: Self.self).pointee
    for (index, (key, value)) in entries.enumerated() where !reader.isFull {
      // Keys of other types describe themselves by code of the user's.
      let name = (key as? String).map { "\"\($0)\"" } ?? "\(index)"
      unsafe withUnsafePointer(to: key) {
        unsafe reader.read("\(path).keys[\(name)]", at: Place($0), keyType)
      }
      unsafe withUnsafePointer(to: value) {
        unsafe reader.read("\(path)[\(name)]", at: Place($0), valueType)
      }
    }
  }
}

// MARK: - Storage

extension TypeMetadata {
  /// The collection whose storage an object of this class is; nil for another class.
  var storedCollection: (any StoredElements.Type)? {
    let name = qualifiedName
    guard name.hasPrefix("Swift._"), let first = argument(0)?.type else { return nil }
    if name.hasPrefix("Swift._ContiguousArrayStorage<") {
      return _openExistential(first, do: arrayType)
    }
    guard let key = first as? any Hashable.Type else { return nil }
    if name.hasPrefix("Swift._SetStorage<") { return key.setType }
    guard name.hasPrefix("Swift._DictionaryStorage<"), let value = argument(1)?.type else {
      return nil
    }
    func dictionaryType<Value>(to _: Value.Type) -> any StoredElements.Type {
      key.dictionaryType(to: Value.self)
    }
    return _openExistential(value, do: dictionaryType)
  }
}

private func arrayType<Element>(of _: Element.Type) -> any StoredElements.Type { [Element].self }

extension Hashable {
  fileprivate static var setType: any StoredElements.Type { Set<Self>.self }

  fileprivate static func dictionaryType<Value>(to _: Value.Type) -> any StoredElements.Type {
    [Self: Value].self
  }
}
