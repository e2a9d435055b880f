extension ObservedProperty {
  /// Appends an element: an insertion.
  ///
  /// - Parameter element: The element.
  @inlinable
  public func append<Element>(_ element: Element) where Value == [Element] {
    if !changeUnobserved({ $0.append(element) }) { append(contentsOf: CollectionOfOne(element)) }
  }

  /// Appends elements: an insertion, if there are any.
  ///
  /// - Parameter elements: The elements.
  public func append<Element>(
    contentsOf elements: some Sequence<Element>
  ) where Value == [Element] {
    replace(read { $0.endIndex..<$0.endIndex }, with: Array(elements)) {
      $0.append(contentsOf: $1)
      return []
    }
  }

  /// Inserts an element: `insertObject:in<Key>AtIndex:`.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - index: The index of the new element, at most the number of elements.
  /// - Throws: `indexOutOfRange`.
  public func insert<Element>(
    _ element: Element, at index: Int
  ) throws(KeyValueError) where Value == [Element] {
    try insert(contentsOf: CollectionOfOne(element), at: index)
  }

  /// Inserts elements: an insertion, if there are any.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - index: The index of the first new element, at most the number of elements.
  /// - Throws: `indexOutOfRange`.
  public func insert<Element>(
    contentsOf elements: some Sequence<Element>, at index: Int
  ) throws(KeyValueError) where Value == [Element] {
    try check(index, isEnd: true)
    if !replace(index..<index, with: Array(elements)) { throw .moved(index) }
  }

  /// Removes an element: `removeObjectFrom<Key>AtIndex:`.
  ///
  /// - Parameter index: The index of the element.
  /// - Returns: The removed element.
  /// - Throws: `indexOutOfRange`.
  @discardableResult
  public func remove<Element>(
    at index: Int
  ) throws(KeyValueError) -> Element where Value == [Element] {
    try check(index)
    let element = read { $0[index] }
    if !replace(index..<index + 1, with: []) { throw .moved(index) }
    return element
  }

  /// Removes the elements at some indexes: one removal, if there are any.
  ///
  /// - Parameter indexes: The indexes.
  /// - Throws: `indexOutOfRange`.
  public func remove<Element>(
    at indexes: RangeSet<Int>
  ) throws(KeyValueError) where Value == [Element] {
    if let first = indexes.ranges.first { try check(first.lowerBound) }
    if let last = indexes.ranges.last { try check(last.upperBound - 1) }
    guard let first = indexes.ranges.first else { return }
    if !remove(indexes) { throw .moved(first.lowerBound) }
  }

  /// Removes all elements: one removal, if there are any.
  public func removeAll<Element>() where Value == [Element] {
    replace(read(\.indices), with: []) { elements, _ in elements.take(elements.indices) }
  }

  /// Removes the elements that satisfy a condition: one removal, if there are any.
  ///
  /// - Parameter isRemoved: The condition.
  public func removeAll<Element>(where isRemoved: (Element) -> Bool) where Value == [Element] {
    let indexes = read { $0.indices(where: isRemoved) }
    if !indexes.isEmpty { remove(indexes) }
  }

  /// Replaces an element: `replaceObjectIn<Key>AtIndex:withObject:`.
  ///
  /// - Parameters:
  ///   - index: The index of the element.
  ///   - element: The new element.
  /// - Throws: `indexOutOfRange`.
  public func replace<Element>(
    at index: Int, with element: Element
  ) throws(KeyValueError) where Value == [Element] {
    try check(index)
    if !replace(index..<index + 1, with: [element]) { throw .moved(index) }
  }

  /// Exchanges two elements: a replacement.
  ///
  /// - Parameters:
  ///   - first: The index of one element.
  ///   - second: The index of the other; if both are equal, nothing happens.
  /// - Throws: `indexOutOfRange`.
  public func swapAt<Element>(
    _ first: Int, _ second: Int
  ) throws(KeyValueError) where Value == [Element] {
    try check(first)
    try check(second)
    guard first != second else { return }
    let indexes = RangeSet([first..<first + 1, second..<second + 1])
    let isDone = change(
      ChangeOutline(.replacement, indexes), old: { Array($0[indexes]) },
      new: { Array($0[indexes]) }
    ) {
      $0.swapAt(first, second)
      return []
    }
    if !isDone { throw .moved(first) }
  }

  /// Replaces the elements of a range by other elements.
  ///
  /// If their numbers are equal, this is one replacement. Otherwise the range is removed, and the
  /// new elements are inserted: two changes, for each of which observers are called.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - elements: The new elements.
  /// - Throws: `indexOutOfRange`.
  public func replaceSubrange<Element>(
    _ range: Range<Int>, with elements: some Sequence<Element>
  ) throws(KeyValueError) where Value == [Element] {
    try check(range.lowerBound, isEnd: true)
    try check(range.upperBound, isEnd: true)
    let elements = Array(elements)
    if range.count != elements.count, !range.isEmpty, !elements.isEmpty {
      if !replace(range, with: []) { throw .moved(range.lowerBound) }
      // An observer may have shortened the array.
      let index = Swift.min(range.lowerBound, read(\.count))
      if !replace(index..<index, with: elements) { throw .moved(index) }
    } else if !replace(range, with: elements) {
      throw .moved(range.lowerBound)
    }
  }

  /// Removes the elements at valid indexes.
  ///
  /// - Returns: Whether they were removed; false if an observer changed the array's length before.
  @discardableResult
  private func remove<Element>(_ indexes: RangeSet<Int>) -> Bool where Value == [Element] {
    change(ChangeOutline(.removal, indexes), old: { Array($0[indexes]) }, new: { _ in nil }) {
      let removed = Array($0[indexes])
      $0.removeSubranges(indexes)
      return removed
    }
  }

  /// Inserts into an empty range, removes a range, or replaces it by as many elements.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - elements: The new elements.
  ///   - instead: Called instead if an observer changed the array's length before; returns the
  ///     elements that it removes.
  /// - Returns: Whether the range was replaced.
  @discardableResult
  private func replace<Element>(
    _ range: Range<Int>, with elements: [Element],
    else instead: (inout [Element], [Element]) -> [Element] = { _, _ in [] }
  ) -> Bool where Value == [Element] {
    let kind: ChangeKind
    if range.isEmpty {
      guard !elements.isEmpty else { return true }
      kind = .insertion
    } else {
      kind = elements.isEmpty ? .removal : .replacement
    }
    let lower = range.lowerBound
    let places = kind == .insertion ? lower..<lower + elements.count : range
    return change(
      ChangeOutline(kind, RangeSet(places)),
      old: { kind == .insertion ? nil : Array($0[range]) },
      new: { _ in kind == .removal ? nil : elements },
      else: { instead(&$0, elements) }
    ) { $0.take(range, replacingWith: elements) }
  }

  /// Changes the array, if its length is the same after the prior calls; both closures return the
  /// elements that they remove.
  @discardableResult
  private func change<Element>(
    _ outline: ChangeOutline, old: (Value) -> Value?, new: (Value) -> Value?,
    else instead: (inout [Element]) -> [Element] = { _ in [] },
    _ body: (inout [Element]) -> [Element]
  ) -> Bool where Value == [Element] {
    let count = read(\.count)
    return change(outline, old: old, new: new) { elements in
      elements.count == count ? (true, body(&elements)) : (false, instead(&elements))
    }.isAsOutlined
  }

  private func check<Element>(
    _ index: Int, isEnd: Bool = false
  ) throws(KeyValueError) where Value == [Element] {
    try KeyValueError.check(index, in: read(\.count), isEnd: isEnd)
  }
}

extension Array {
  /// Replaces the elements of a range, and returns the old ones, whose deinits may access the
  /// array.
  fileprivate mutating func take(_ range: Range<Int>, replacingWith elements: Self = []) -> Self {
    if range == indices, !isEmpty { return exchange(&self, with: elements) }
    // `Array(self[range])` of an empty range could share the buffer, which would then be copied.
    let removed = range.isEmpty ? [] : Array(self[range])
    replaceSubrange(range, with: elements)
    return removed
  }
}
