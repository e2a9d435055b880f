/// The observers of a property as a notification reads them: counted, and never changed.
///
/// Who replaces a table frees it when no notification that may read it is under way.
@usableFromInline @frozen
@safe struct ObserverTable {
  // The number of observers, then a counted reference to each; 0 is the empty table.
  @usableFromInline let address: UInt

  @inlinable
  init(address: UInt) { self.address = address }

  init(_ observers: [KeyValueObservation]) {
    guard !observers.isEmpty else {
      address = 0
      return
    }
    let words = UnsafeMutablePointer<UInt>.allocate(capacity: observers.count + 1)
    unsafe words.initialize(to: UInt(observers.count))
    for (index, observer) in observers.enumerated() {
      let reference = unsafe Unmanaged.passRetained(observer)
      // SAFETY: there is a word for each, after the first.
      unsafe (words + index + 1).initialize(to: UInt(bitPattern: reference.toOpaque()))
    }
    address = UInt(bitPattern: words)
  }

  @inlinable
  var words: UnsafeMutablePointer<UInt>? { unsafe UnsafeMutablePointer(bitPattern: address) }

  @inlinable
  var count: Int {
    guard let words = unsafe words else { return 0 }
    // SAFETY: a table that is not empty begins with its count.
    return unsafe Int(bitPattern: words.pointee)
  }

  /// The observer at an index.
  ///
  /// ## Safety
  ///
  /// The index is less than the count, and the table has not been freed.
  @inlinable @unsafe
  subscript(index: Int) -> Unmanaged<KeyValueObservation> {
    // SAFETY: as the caller promises.
    unsafe Unmanaged.fromOpaque(
      UnsafeRawPointer(bitPattern: words.unsafelyUnwrapped[index + 1]).unsafelyUnwrapped)
  }

  /// Gives up the references and the memory.
  ///
  /// ## Safety
  ///
  /// Nobody reads the table any more.
  @unsafe
  func free() {
    for index in 0..<count { unsafe self[index].release() }
    unsafe words?.deallocate()
  }
}
