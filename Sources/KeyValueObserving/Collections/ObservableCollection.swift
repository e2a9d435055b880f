/// A collection whose changes of members can be told: an array, a set, a dictionary.
protocol ObservableCollection {
  /// The members at some places; all of a collection without order.
  func members(at indexes: RangeSet<Int>) -> Self
}

extension ObservableCollection {
  /// The word that the value consists of: who hands on the same word hands on the same members.
  var storage: UInt? {
    guard MemoryLayout<Self>.size == MemoryLayout<UInt>.size else { return nil }
    // SAFETY: the word is only compared.
    return unsafe withUnsafeBytes(of: self) { unsafe $0.load(as: UInt.self) }
  }
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
