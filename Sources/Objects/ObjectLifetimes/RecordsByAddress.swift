/// A hash table of objects' records by the objects' addresses, with open addressing and linear
/// probing.
///
/// Each record is as near to the place of its hash as the records before it allow. A removal leaves
/// no mark, but moves later records back (Knuth, *The Art of Computer Programming*, 6.4, algorithm
/// R).
@safe
struct RecordsByAddress: ~Copyable {
  @unsafe
  private struct Place {
    /// The object's address; 0 if the place is free.
    var address: UInt
    var record: RecordReference?
  }

  // SAFETY: `places` has `mask + 1` places, all of which are initialised; each place that is not
  // free owns its record. Indices are masked.
  private var places: UnsafeMutablePointer<Place>
  private var mask: Int
  private var shift: UInt
  private var count = 0

  init() {
    unsafe places = Self.makePlaces(8)
    mask = 7
    shift = UInt(UInt.bitWidth - RecordTable.shardBits - 3)
  }

  deinit {
    for index in 0...mask { unsafe places[index].record?.release() }
    unsafe places.deallocate()
  }

  private static func makePlaces(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    unsafe places.initialize(repeating: Place(address: 0, record: nil), count: count)
    return unsafe places
  }

  /// The hash of an address: the highest bits choose a shard of the table, the next ones a place.
  @inline(__always)
  static func hash(_ address: UInt) -> UInt { (address &>> 4) &* 0x9E37_79B9_7F4A_7C15 }

  @inline(__always)
  private func home(of address: UInt) -> Int {
    Int(truncatingIfNeeded: Self.hash(address) &>> shift) & mask
  }

  /// The index of the place that has an address, or, if none has, of the free place for it.
  @inline(__always)
  private func index(of address: UInt) -> Int {
    var index = home(of: address)
    while unsafe places[index].address != address && places[index].address != 0 {
      index = (index &+ 1) & mask
    }
    return index
  }

  /// The record of an address; nil if there is none.
  @inline(__always)
  subscript(address: UInt) -> RecordReference? { unsafe places[index(of: address)].record }

  /// Calls a closure with the record of an address, or nil, which the closure must replace.
  @inline(__always)
  mutating func update<Result>(
    _ address: UInt, _ body: (inout RecordReference?) -> Result
  ) -> Result {
    // At most three of four places are taken.
    if 4 &* (count &+ 1) > 3 &* (mask &+ 1) { grow() }
    let index = index(of: address)
    if unsafe places[index].address == 0 {
      unsafe places[index].address = address
      count &+= 1
    }
    return unsafe body(&places[index].record)
  }

  private mutating func grow() {
    let (old, oldMask) = unsafe (places, mask)
    mask = 2 &* mask &+ 1
    shift &-= 1
    unsafe places = Self.makePlaces(mask &+ 1)
    for place in 0...oldMask where unsafe old[place].address != 0 {
      unsafe places[index(of: old[place].address)] = unsafe old[place]
    }
    unsafe old.deallocate()
  }

  /// Removes the record of an address.
  ///
  /// - Returns: The record; nil if there was none.
  mutating func remove(_ address: UInt) -> RecordReference? {
    var hole = index(of: address)
    guard let record = unsafe places[hole].record else { return nil }
    var index = hole
    while true {
      index = (index &+ 1) & mask
      guard unsafe places[index].address != 0 else { break }
      // A record may move back to the hole if its home is not between them.
      let home = unsafe home(of: places[index].address)
      if (index &- home) & mask >= (index &- hole) & mask {
        unsafe places[hole] = unsafe places[index]
        hole = index
      }
    }
    unsafe places[hole] = Place(address: 0, record: nil)
    count &-= 1
    return record
  }
}
