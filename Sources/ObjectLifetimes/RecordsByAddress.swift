/// A hash table of objects' records by the objects' addresses, with open addressing and linear
/// probing.
///
/// The record of an object at a place is as near to the place of its hash as those that were there
/// before allow; there are no marks of removed records: a removal moves later ones back (Knuth,
/// *The Art of Computer Programming*, 6.4, algorithm R).
@safe
struct RecordsByAddress: ~Copyable {
  @unsafe
  private struct Place {
    /// The object's address; 0 if the place is free.
    var address: UInt
    var record: Unmanaged<ObjectRecord>?
  }

  // SAFETY: `places` has `1 << bits` places, all of which are initialised; each place that is not
  // free owns a reference to its record. Indices are masked.
  private var places: UnsafeMutablePointer<Place>
  private var bits: Int
  private var count = 0

  init() {
    bits = 3
    unsafe places = Self.makePlaces(bits)
  }

  deinit {
    for index in 0...mask { unsafe places[index].record?.release() }
    unsafe places.deallocate()
  }

  private static func makePlaces(_ bits: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: 1 << bits)
    unsafe places.initialize(repeating: Place(address: 0, record: nil), count: 1 << bits)
    return unsafe places
  }

  private var mask: Int { 1 &<< bits &- 1 }

  /// The hash of an address: the highest bits choose a shard of the table, the next ones a place.
  @inline(__always)
  static func hash(_ address: UInt) -> UInt { (address &>> 4) &* 0x9E37_79B9_7F4A_7C15 }

  @inline(__always)
  private func home(of address: UInt) -> Int {
    Int((Self.hash(address) &<< UInt(RecordTable.shardBits)) &>> UInt(UInt.bitWidth &- bits))
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

  /// Calls a closure with the record of an address, if there is one.
  @inline(__always)
  borrowing func withRecord<Result>(
    _ address: UInt, _ body: (ObjectRecord) -> Result?
  ) -> Result? {
    guard let record = unsafe places[index(of: address)].record else { return nil }
    return unsafe record._withUnsafeGuaranteedRef { body($0) }
  }

  /// Adds the record of an address that has none.
  mutating func insert(_ record: ObjectRecord, _ address: UInt) {
    // At most three of four places are taken.
    if 4 &* (count &+ 1) > 3 &* (mask &+ 1) { grow() }
    unsafe places[index(of: address)] = Place(address: address, record: .passRetained(record))
    count &+= 1
  }

  private mutating func grow() {
    let (old, oldMask) = unsafe (places, mask)
    bits &+= 1
    unsafe places = Self.makePlaces(bits)
    for place in 0...oldMask where unsafe old[place].address != 0 {
      unsafe places[index(of: old[place].address)] = unsafe old[place]
    }
    unsafe old.deallocate()
  }

  /// Removes the record of an address.
  ///
  /// - Returns: The record; nil if there was none.
  mutating func remove(_ address: UInt) -> ObjectRecord? {
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
    return unsafe record.takeRetainedValue()
  }
}
