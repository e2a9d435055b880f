/// What a record has by which its row of a table is found.
protocol RowSource: Hashable {
  /// What the row is of.
  associatedtype Key: Hashable

  /// The key of the row; sources of several processes may have one key.
  var key: Key { get }

  /// The key of the row that has what is in none of the first rows.
  static var others: Key { get }
}

/// The rows of a table.
///
/// Keys have texts, so the row of a source that was seen before is found by the source.
struct TotalRows<Source: RowSource, Totals> {
  /// The rows, in the order in which they were made.
  private(set) var all: [(key: Source.Key, value: Totals)] = []

  private var places: [Source.Key: Int] = [:]
  private var placesBySource: [Source: Int] = [:]

  /// How many rows there are, besides that of all others, and how many sources are remembered.
  ///
  /// Programs may call any number of functions, and a hostile one says so at least.
  private let rowLimit: Int
  private static var sourceLimit: Int { 1 << 16 }

  init(rowLimit: Int = 1 << 14) { self.rowLimit = rowLimit }

  /// The totals of a source's row, which is made if there is none.
  subscript(source: Source, default initial: @autoclosure () -> Totals) -> Totals {
    mutating get { all[place(of: source, initial)].value }
    _modify { yield &all[place(of: source, initial)].value }
  }

  private mutating func place(of source: Source, _ initial: () -> Totals) -> Int {
    if let known = placesBySource[source] { return known }
    if placesBySource.count == Self.sourceLimit { placesBySource = [:] }
    let key = places[source.key] != nil || all.count < rowLimit ? source.key : Source.others
    let place = places[key] ?? all.count
    if place == all.count { all.append((key, initial())) }
    (places[key], placesBySource[source]) = (place, place)
    return place
  }
}
