public import Synchronization

// SAFETY: the address is 0 or that of a table that has not been freed; `ObserverList` guarantees
// that.
/// A table of the observers of a property, which notifications read without a lock: observers may
/// be appended up to its capacity, but no entry changes.
///
/// A replaced table is freed when no notification that may read it is in progress.
@usableFromInline @frozen
@safe struct ObserverTable {
  // The address of the number of observers, an `Atomic`, and of a retained reference to each; 0 is
  // the empty table.
  @usableFromInline let address: UInt

  @inlinable
  init(address: UInt) { self.address = address }

  /// Creates a table of observers; the capacity is at least their number.
  init(_ observers: some Collection<KeyValueObservation>, capacity: Int) {
    // SAFETY: the memory has a word for the count and one for each observer, and no other thread
    // uses it yet.
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
    // SAFETY: the memory of a table begins with its count, which is accessed atomically.
    return unsafe Int(bitPattern: counter.pointee.load(ordering: .acquiring))
  }

  /// Appends an observer, and retains it.
  ///
  /// ## Safety
  ///
  /// The index must be the count, and less than the capacity; no other thread may append.
  @unsafe
  func append(_ observer: KeyValueObservation, at index: Int) {
    let reference = unsafe Unmanaged.passRetained(observer)
    // Before the count, which readers acquire.
    // SAFETY: by the function's contract, the word is unused until the count is stored.
    unsafe words.unsafelyUnwrapped[index + 1] = UInt(bitPattern: reference.toOpaque())
    unsafe counter.unsafelyUnwrapped.pointee.store(UInt(index + 1), ordering: .releasing)
  }

  /// The observer at an index.
  ///
  /// ## Safety
  ///
  /// The index must be less than the count, and the table must not have been freed.
  @inlinable @unsafe
  subscript(index: Int) -> Unmanaged<KeyValueObservation> {
    // SAFETY: by the subscript's contract, the word is a retained reference.
    unsafe Unmanaged.fromOpaque(
      UnsafeRawPointer(bitPattern: words.unsafelyUnwrapped[index + 1]).unsafelyUnwrapped)
  }

  /// Releases the observers and frees the memory.
  ///
  /// ## Safety
  ///
  /// No thread may read the table during or after the call.
  @unsafe
  func free() {
    // SAFETY: by the function's contract, and because the table owns one reference to each
    // observer.
    for index in 0..<count { unsafe self[index].release() }
    unsafe words?.deallocate()
  }
}
