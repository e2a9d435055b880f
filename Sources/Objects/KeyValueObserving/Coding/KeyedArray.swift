/// An array property of an object, by its key: `mutableArrayValueForKey:`.
///
/// A keyed array is not a copy: it reads the property, and changes it by its setter, with one
/// notification of the elements that changed, as `$members` makes it. A property that is nil reads
/// as empty, and is set by an insertion. A change takes time in proportion to the length of the
/// array.
///
/// ```swift
/// let members = try team.mutableArrayValue(forKey: "members")
/// try members.append(ada)        // insertion at 0, new [ada]
/// try members.remove(at: 0)      // removal at 0, old [ada]
/// ```
///
/// It retains the object, and needs the same protection on several threads as the property itself.
public struct KeyedArray {
  private let property: KeyedCollection<any ElementStorage>

  init(_ path: StringKeyPath, of root: any KeyValueCoding) throws(KeyValueError) {
    property = try KeyedCollection(path, of: root, kind: "an array") {
      ($0 as? any ElementStorage.Type)?.init()
    }
  }

  /// The elements; they are not doubly optional.
  public var elements: [Any?] { storage.elements }

  /// The number of elements.
  public var count: Int { storage.count }

  /// Whether there are no elements.
  public var isEmpty: Bool { count == 0 }

  /// An element.
  ///
  /// - Parameter index: Its index.
  /// - Returns: The element; nil if it is nil.
  /// - Throws: `indexOutOfRange`.
  public func element(at index: Int) throws(KeyValueError) -> Any? {
    let elements = elements
    try check(index, elements.count)
    return elements[index]
  }

  /// Appends an element: an insertion.
  ///
  /// - Parameter element: The element: of the elements' type, or a number that this type represents
  ///   exactly.
  /// - Throws: `typeMismatch`; `readOnly` if the property cannot be set.
  public func append(_ element: Any?) throws(KeyValueError) { try append(contentsOf: [element]) }

  /// Appends elements: an insertion, if there are any.
  ///
  /// - Parameter elements: The elements.
  /// - Throws: `typeMismatch`; `readOnly` if the property cannot be set.
  public func append(contentsOf elements: [Any?]) throws(KeyValueError) {
    try insert(contentsOf: elements, at: count)
  }

  /// Inserts an element: `insertObject:atIndex:`.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - index: The index of the new element, at most the number of elements.
  /// - Throws: `indexOutOfRange`; `typeMismatch`; `readOnly` if the property cannot be set.
  public func insert(_ element: Any?, at index: Int) throws(KeyValueError) {
    try insert(contentsOf: [element], at: index)
  }

  /// Inserts elements: an insertion, if there are any.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - index: The index of the first new element, at most the number of elements.
  /// - Throws: `indexOutOfRange`; `typeMismatch`; `readOnly` if the property cannot be set.
  public func insert(contentsOf elements: [Any?], at index: Int) throws(KeyValueError) {
    try replace(index..<index, with: elements)
  }

  /// Removes an element: `removeObjectAtIndex:`.
  ///
  /// - Parameter index: The index of the element.
  /// - Returns: The removed element.
  /// - Throws: `indexOutOfRange`; `readOnly` if the property cannot be set.
  @discardableResult
  public func remove(at index: Int) throws(KeyValueError) -> Any? {
    let element = try element(at: index)
    try replace(index..<index + 1, with: [])
    return element
  }

  /// Removes all elements: one removal, if there are any.
  ///
  /// - Throws: `readOnly` if the property cannot be set.
  public func removeAll() throws(KeyValueError) { try replace(0..<count, with: []) }

  /// Replaces an element: `replaceObjectAtIndex:withObject:`.
  ///
  /// - Parameters:
  ///   - index: The index of the element.
  ///   - element: The new element.
  /// - Throws: `indexOutOfRange`; `typeMismatch`; `readOnly` if the property cannot be set.
  public func replace(at index: Int, with element: Any?) throws(KeyValueError) {
    try check(index, count)
    try replace(index..<index + 1, with: [element])
  }

  /// Replaces the elements of a range by other elements.
  ///
  /// If their numbers are equal, this is one replacement. Otherwise the range is removed, and the
  /// new elements are inserted: two changes, for each of which observers are called.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - elements: The new elements.
  /// - Throws: `indexOutOfRange`; `typeMismatch`, before anything is changed; `readOnly` if the
  ///   property cannot be set.
  public func replaceSubrange(
    _ range: Range<Int>, with elements: [Any?]
  ) throws(KeyValueError) {
    guard !range.isEmpty, !elements.isEmpty, range.count != elements.count else {
      return try replace(range, with: elements)
    }
    _ = try converted(elements)
    try replace(range, with: [])
    // An observer may have shortened the array.
    try insert(contentsOf: elements, at: min(range.lowerBound, count))
  }

  /// Inserts into an empty range, removes a range, or replaces it by as many elements.
  private func replace(_ range: Range<Int>, with values: [Any?]) throws(KeyValueError) {
    let storage = storage
    let count = storage.count
    try check(range.lowerBound, count, isEnd: true)
    try check(range.upperBound, count, isEnd: true)
    let elements = try converted(values)
    guard !range.isEmpty || !elements.isEmpty else { return }
    let kind: ChangeKind =
      range.isEmpty ? .insertion : elements.isEmpty ? .removal : .replacement
    let lower = range.lowerBound
    let places = RangeSet(range.isEmpty ? lower..<lower + elements.count : range)
    let isChanged = try property.change(
      ChangeOutline(kind, places), old: range.isEmpty ? nil : storage.members(at: RangeSet(range)),
      new: elements.isEmpty ? nil : replacing(type(of: storage).init(), 0..<0, elements)
    ) { current in
      current.count == count ? replacing(current, range, elements) : nil
    }
    guard isChanged else {
      throw .moved(lower, of: property.path.text)
    }
  }

  private func replacing(
    _ storage: any ElementStorage, _ range: Range<Int>, _ elements: [Any]
  ) -> any ElementStorage {
    var storage = storage
    storage.replace(range, with: elements)
    return storage
  }

  private func converted(_ values: [Any?]) throws(KeyValueError) -> [Any] {
    let type = type(of: storage)
    return try property.converted(values, to: type.elementType) { type.element($0) }
  }

  private func check(
    _ index: Int, _ count: Int, isEnd: Bool = false
  ) throws(KeyValueError) {
    try KeyValueError.check(index, in: count, isEnd: isEnd, of: property.path.text)
  }

  private var storage: any ElementStorage { property.storage }
}

extension KeyedArray: CustomStringConvertible {
  /// The elements.
  public var description: String { "\(storage)" }
}

extension KeyValueCoding {
  /// The array of a key, to be changed in place: `mutableArrayValueForKey:`.
  ///
  /// - Parameter key: One of the class's keys, whose type is an array or an optional one.
  /// - Returns: The array.
  /// - Throws: `KeyValueError` if the class does not list the key, or its type is another one.
  public func mutableArrayValue(forKey key: String) throws(KeyValueError) -> KeyedArray {
    try KeyedArray(StringKeyPath(key: key), of: self)
  }

  /// The array of a key path, to be changed in place: `mutableArrayValueForKeyPath:`.
  ///
  /// It is the array of the object that is the last on the path now.
  ///
  /// - Parameter keyPath: Keys, separated by dots.
  /// - Returns: The array.
  /// - Throws: `KeyValueError` if the path cannot be followed, a value on it is nil, or the type of
  ///   its last key is not an array.
  public func mutableArrayValue(forKeyPath keyPath: String) throws(KeyValueError) -> KeyedArray {
    try KeyedArray(StringKeyPath(keyPath), of: self)
  }
}
