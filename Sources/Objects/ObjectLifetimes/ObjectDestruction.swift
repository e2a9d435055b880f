private import CObjectLifetimes.ObjectDestruction
internal import LoadedClasses

/// The Swift interface of `CBRObjectDestruction.h`, which hooks the runtime's destruction of
/// objects.
///
/// Callers retain the objects that they pass until the call returns.
enum ObjectDestruction {
  // SAFETY: the structure is initialised here, once, and never written or freed afterwards.
  nonisolated(unsafe) private static let handlers = {
    let handlers = UnsafeMutablePointer<cbr_destruction_handlers>.allocate(capacity: 1)
    unsafe handlers.initialize(
      to: cbr_destruction_handlers(
        take: { object in
          // SAFETY: C holds the record until `did_die`, which releases it.
          guard let object = unsafe object else { return nil }
          return unsafe RecordTable.take(UInt(bitPattern: object))?.pointer
        },
        will_die: { record, object in
          // SAFETY: the record is what `take` returned; the object is intact until its deinit.
          guard let record = unsafe record, let object = unsafe object else { return }
          unsafe RecordReference(pointer: record).runHooksBefore(DyingObject(pointer: object))
        },
        did_die: { record in
          guard let record = unsafe record else { return }
          // SAFETY: the record is what `take` returned; this is called once for it.
          unsafe EndedRecords.end(RecordReference(pointer: record))
        },
        hold_class_hooks: { stored in
          // SAFETY: `set(_:of:)` stored an object that is never freed. The returned reference is
          // released by `instance_did_die`.
          guard let stored = unsafe stored else { return nil }
          let hooks = unsafe Unmanaged<HookedClass>.fromOpaque(stored)
            ._withUnsafeGuaranteedRef { $0.hooks }
          return unsafe hooks.map { unsafe Unmanaged.passRetained($0).toOpaque() }
        },
        join: { record, hooks, object in
          // SAFETY: the record is the one of `take`, the hooks are those of `hold_class_hooks`.
          guard let record = unsafe record, let hooks = unsafe hooks, let object = unsafe object
          else { return unsafe record }
          return unsafe classHooks(hooks)._withUnsafeGuaranteedRef {
            unsafe $0.join(RecordReference(pointer: record), DestroyedObject(at: object)).pointer
          }
        },
        instance_will_die: { hooks, object in
          // SAFETY: as above; the object is intact until its deinit.
          guard let hooks = unsafe hooks, let object = unsafe object else { return }
          unsafe classHooks(hooks)._withUnsafeGuaranteedRef {
            unsafe $0.runBefore(DestroyedObject(at: object), DyingObject(pointer: object))
          }
        },
        instance_did_die: { hooks, object, type, hasJoined in
          // SAFETY: as above; only the address of the object is used.
          guard let hooks = unsafe hooks, let object = unsafe object, let type = unsafe type
          else { return }
          let held = unsafe classHooks(hooks).takeRetainedValue()
          if !hasJoined { unsafe held.runAfter(DestroyedObject(address: object, type: type)) }
        }))
    return unsafe handlers
  }()

  private static func classHooks(_ hooks: UnsafeMutableRawPointer) -> Unmanaged<ClassHooks> {
    unsafe Unmanaged.fromOpaque(hooks)
  }

  /// Watches the class of an object, so that the destruction of its objects is noticed.
  ///
  /// - Throws: `unsupportedObject`, `objectIsDying`, `protectedMemory`, `outOfMemory`.
  @inline(__always)
  static func watchClass(of object: AnyObject) throws(LifetimeError) {
    // SAFETY: the caller's reference keeps the object, and thus its class, alive.
    if unsafe cbr_class_is_watched(address(of: object)) { return }
    try watchNewClass(of: object)
  }

  @inline(never)
  private static func watchNewClass(of object: AnyObject) throws(LifetimeError) {
    // SAFETY: as in `watchClass(of:)`; `handlers` stays valid.
    try check(unsafe cbr_watch_class_of(address(of: object), handlers))
    complete(ClassMetadata(type(of: object)))
  }

  /// Watches a class, so that the destruction of its objects is noticed.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func watch(_ type: ClassMetadata) throws(LifetimeError) {
    // SAFETY: metadata is never freed; `handlers` stays valid.
    try check(unsafe cbr_watch_class(type.address.pointer, handlers))
    complete(type)
  }

  /// Completes the watching of a class: only when the class has its hooks do other threads take it
  /// for watched.
  private static func complete(_ type: ClassMetadata) {
    HookedClasses.add(type)
    // SAFETY: metadata is never freed.
    unsafe cbr_complete_watching(type.address.pointer)
  }

  /// Stores the owner of the hooks of a watched class; nil for none.
  static func set(_ hooks: HookedClass?, of type: ClassMetadata) {
    // SAFETY: such an object is never freed.
    unsafe cbr_set_class_hooks(
      type.address.pointer, hooks.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
  }

  private static func check(_ result: cbr_watch_result) throws(LifetimeError) {
    switch result {
    case CBR_WATCHED: return
    case CBR_WATCH_DYING:
      throw LifetimeError(
        .objectIsDying,
        "the object's last reference has been released; add hooks and values before that")
    case CBR_WATCH_PROTECTED:
      throw LifetimeError(
        .protectedMemory, "the metadata of the object's class is read-only; watch a subclass of it")
    case CBR_WATCH_NO_MEMORY:
      throw LifetimeError(.outOfMemory, "not enough memory to watch the object's class; free some")
    default:
      throw LifetimeError(
        .unsupportedObject,
        "not an object of a Swift class, but a block or another runtime's object; "
          + "wrap it in an object of a class")
    }
  }

  /// Counts a record of the object.
  static func mark(_ object: UInt) {
    // SAFETY: the address is hashed, not dereferenced.
    unsafe cbr_mark_object(UnsafeRawPointer(bitPattern: object))
  }

  /// Takes back one `mark(_:)`.
  static func unmark(_ object: UInt) {
    // SAFETY: as in `mark(_:)`.
    unsafe cbr_unmark_object(UnsafeRawPointer(bitPattern: object))
  }

  /// Whether there may be a record of the object; false only where there is none.
  static func isMarked(_ object: AnyObject) -> Bool {
    // SAFETY: as in `mark(_:)`.
    unsafe cbr_object_is_marked(address(of: object))
  }

  /// The record of an object whose deinit this thread is running.
  static func dyingRecord(of object: AnyObject) -> RecordReference? {
    // SAFETY: C holds the record while the deinit runs, on this thread.
    guard let record = unsafe cbr_dying_record(address(of: object)) else { return nil }
    return unsafe RecordReference(pointer: record)
  }

  private static func address(of object: AnyObject) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }
}

// SAFETY: the pointer is that of an intact object: the value is only borrowed by calls that return
// before the object's deinit begins.
/// An object whose last reference has been released, and whose deinit has not begun.
@safe
struct DyingObject: ~Copyable {
  private let pointer: UnsafeRawPointer

  @unsafe
  fileprivate init(pointer: UnsafeRawPointer) { unsafe self.pointer = pointer }

  /// Calls a closure with the object.
  ///
  /// ## Safety
  ///
  /// When the closure returns, no reference to the object that it made may be left.
  @unsafe
  func withObject(_ body: (AnyObject) -> Void) {
    // SAFETY: the object is intact, see above; the reference is unretained.
    body(unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
  }
}
