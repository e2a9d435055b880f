/// A collection whose changes of members can be told: an array, a set, a dictionary.
protocol ObservableCollection {
  /// The members at some places; all of a collection without order.
  func members(at indexes: RangeSet<Int>) -> Self
}

extension Array: ObservableCollection {
  func members(at indexes: RangeSet<Int>) -> [Element] {
    Array(self[indexes.intersection(RangeSet(indices))])
  }
}

extension Set: ObservableCollection {
  func members(at indexes: RangeSet<Int>) -> Set { self }
}

extension Dictionary: ObservableCollection {
  func members(at indexes: RangeSet<Int>) -> Dictionary { self }
}
