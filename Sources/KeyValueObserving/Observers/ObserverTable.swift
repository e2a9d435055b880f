public import Synchronization

/// The observers of a property as a notification reads them: observers may be added at its end, as
/// long as it has room, but nothing else of it changes.
///
/// Who replaces a table frees it when no notification that may read it is under way.
@usableFromInline @frozen
@safe struct ObserverTable {
  // The number of observers, an `Atomic`, then a counted reference to each; 0 is the empty table.
  @usableFromInline let address: UInt

  @inlinable
  init(address: UInt) { self.address = address }

  /// Makes a table of observers, with room for more.
  init(_ observers: some Collection<KeyValueObservation>, capacity: Int) {
    let words = UnsafeMutablePointer<UInt>.allocate(capacity: capacity + 1)
    unsafe words.initialize(to: 0)
    address = UInt(bitPattern: words)
    for (index, observer) in observers.enumerated() { unsafe append(observer, at: index) }
  }

  @inlinable
  var words: UnsafeMutablePointer<UInt>? { unsafe UnsafeMutablePointer(bitPattern: address) }

  @inlinable
  var counter: UnsafeMutablePointer<Atomic<UInt>>? {
    unsafe UnsafeMutablePointer(bitPattern: address)
  }

  @inlinable
  var count: Int {
    guard let counter = unsafe counter else { return 0 }
    // SAFETY: a table that is not empty begins with its count.
    return unsafe Int(bitPattern: counter.pointee.load(ordering: .acquiring))
  }

  /// Adds an observer at the end.
  ///
  /// ## Safety
  ///
  /// The index is the count, the table has room, and nobody else adds.
  @unsafe
  func append(_ observer: KeyValueObservation, at index: Int) {
    let reference = unsafe Unmanaged.passRetained(observer)
    // SAFETY: as the caller promises.
    unsafe words.unsafelyUnwrapped[index + 1] = UInt(bitPattern: reference.toOpaque())
    unsafe counter.unsafelyUnwrapped.pointee.store(UInt(index + 1), ordering: .releasing)
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
