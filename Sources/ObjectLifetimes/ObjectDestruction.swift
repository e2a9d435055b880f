private import CObjectLifetimes.ObjectDestruction

/// The runtime's side of an object's end, as `CBRObjectDestruction.h` describes it.
///
/// The objects that are given are borrowed: callers keep them alive until the call is over.
enum ObjectDestruction {
  // SAFETY: written once, before its address is given away, and never again.
  nonisolated(unsafe) private static let handlers = {
    let handlers = UnsafeMutablePointer<cbr_destruction_handlers>.allocate(capacity: 1)
    unsafe handlers.initialize(
      to: cbr_destruction_handlers(
        take: { object in
          // SAFETY: what C holds is a reference, which `did_die` takes back.
          guard let object = unsafe object, let record = RecordTable.take(UInt(bitPattern: object))
          else { return nil }
          return unsafe Unmanaged.passRetained(record).toOpaque()
        },
        will_die: { record, object in
          // SAFETY: the record came from `take`; the object is complete until its deinit.
          guard let record = unsafe record, let object = unsafe object else { return }
          let borrowed = unsafe Unmanaged<ObjectRecord>.fromOpaque(record).takeUnretainedValue()
          unsafe borrowed.runHooksBefore(DyingObject(pointer: object))
        },
        did_die: { record in
          guard let record = unsafe record else { return }
          // SAFETY: the reference was made in `take`.
          unsafe Unmanaged<ObjectRecord>.fromOpaque(record).takeRetainedValue().end()
        }))
    return unsafe handlers
  }()

  /// Makes sure that the end of an object of this object's class is seen.
  ///
  /// - Throws: `unsupportedObject`, `objectIsDying`, `protectedMemory`, `outOfMemory`.
  static func watchClass(of object: AnyObject) throws(LifetimeError) {
    // SAFETY: the caller's reference keeps the object, and so its class, alive.
    switch unsafe cbr_watch_class_of(address(of: object), handlers) {
    case CBR_WATCHED: return
    case CBR_WATCH_DYING:
      throw LifetimeError(
        .objectIsDying,
        "the object's last reference is gone; add hooks and values before it is given up")
    case CBR_WATCH_PROTECTED:
      throw LifetimeError(
        .protectedMemory, "the metadata of the object's class is read-only; watch a subclass of it")
    case CBR_WATCH_NO_MEMORY:
      throw LifetimeError(.outOfMemory, "no memory to note the object's class; free some")
    default:
      throw LifetimeError(
        .unsupportedObject,
        "not an object of a Swift class, but a block or another runtime's object; "
          + "wrap it in an object of a class")
    }
  }

  /// Counts a record of the object.
  static func mark(_ object: UInt) {
    // SAFETY: the address is hashed, not followed.
    unsafe cbr_mark_object(UnsafeRawPointer(bitPattern: object))
  }

  /// Undoes one `mark(_:)`.
  static func unmark(_ object: UInt) {
    // SAFETY: as above.
    unsafe cbr_unmark_object(UnsafeRawPointer(bitPattern: object))
  }

  /// Whether there may be a record of the object; false only where there is none.
  static func isMarked(_ object: AnyObject) -> Bool {
    // SAFETY: as above.
    unsafe cbr_object_is_marked(address(of: object))
  }

  /// The record of an object whose deinit this thread is running.
  static func dyingRecord(of object: AnyObject) -> ObjectRecord? {
    // SAFETY: C keeps a reference to the record as long as it knows it.
    guard let record = unsafe cbr_dying_record(address(of: object)) else { return nil }
    return unsafe Unmanaged<ObjectRecord>.fromOpaque(record).takeUnretainedValue()
  }

  private static func address(of object: AnyObject) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }
}

/// An object whose last reference is gone, and whose deinit has not begun.
@safe
struct DyingObject: ~Copyable {
  private let pointer: UnsafeRawPointer

  @unsafe
  fileprivate init(pointer: UnsafeRawPointer) { unsafe self.pointer = pointer }

  /// Calls a closure with the object.
  ///
  /// ## Safety
  ///
  /// No reference to the object may be left when the closure returns.
  @unsafe
  func withObject(_ body: (AnyObject) -> Void) {
    // SAFETY: the object is complete until its deinit begins.
    body(unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
  }
}
