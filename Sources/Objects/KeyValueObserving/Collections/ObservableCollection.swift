/// A collection of which observers receive the members that change: an array, a set, a dictionary.
protocol ObservableCollection {
  /// The members at some indexes; all members of a collection without order.
  func members(at indexes: RangeSet<Int>) -> Self
}

extension ObservableCollection {
  func members(at indexes: RangeSet<Int>) -> Self { self }

  /// The word that is the value, a reference to its buffer; nil if the value is not one word.
  ///
  /// Values that exist at the same time and have equal words share a buffer, and so their members.
  var storage: UInt? {
    guard MemoryLayout<Self>.size == MemoryLayout<UInt>.size else { return nil }
    // SAFETY: the value has the size of a word, which is only compared.
    return unsafe withUnsafeBytes(of: self) { unsafe $0.load(as: UInt.self) }
  }
}

extension Array: ObservableCollection {
  func members(at indexes: RangeSet<Int>) -> [Element] {
    Array(self[indexes.intersection(RangeSet(indices))])
  }
}

extension Set: ObservableCollection {}
extension Dictionary: ObservableCollection {}
