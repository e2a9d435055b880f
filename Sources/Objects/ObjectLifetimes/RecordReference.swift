/// A reference to the record of an object, in one word: to an `ObjectRecord`, or to the only hook
/// of an object that has nothing else, which needs no record around it.
///
/// It is not counted: it belongs first to the table, and then to the thread that destroys the
/// object.
@safe
struct RecordReference {
  // SAFETY: the address of a hook, or that of an `ObjectRecord` plus 1. Objects have even
  // addresses.
  private let word: UnsafeMutableRawPointer

  /// Takes over a reference to the only hook of an object.
  init(_ hook: consuming DeinitHook) {
    unsafe word = Unmanaged.passRetained(hook).toOpaque()
  }

  /// Takes over a reference to a record.
  init(_ record: consuming ObjectRecord) {
    unsafe word = Unmanaged.passRetained(record).toOpaque() + 1
  }

  /// Creates a reference from its pointer.
  ///
  /// ## Safety
  ///
  /// The pointer must be that of a reference that has not been released.
  @unsafe
  init(pointer: UnsafeMutableRawPointer) { unsafe word = pointer }

  /// The reference as C stores it.
  var pointer: UnsafeMutableRawPointer { unsafe word }

  private var isHook: Bool { unsafe UInt(bitPattern: word) & 1 == 0 }

  // SAFETY: of the two, the one that `isHook` selects is what the word refers to.
  private var unmanagedHook: Unmanaged<DeinitHook> { unsafe .fromOpaque(word) }
  private var unmanagedRecord: Unmanaged<ObjectRecord> { unsafe .fromOpaque(word - 1) }

  /// Calls one of two closures, with the hook or the record.
  @inline(__always)
  func access<Result>(
    hook: (DeinitHook) -> Result, record: (ObjectRecord) -> Result
  ) -> Result {
    isHook
      ? unsafe unmanagedHook._withUnsafeGuaranteedRef { hook($0) }
      : unsafe unmanagedRecord._withUnsafeGuaranteedRef { record($0) }
  }

  /// The value under a key; called under the lock.
  @inline(__always)
  func value(of key: UInt64) -> StoredValue? {
    access(hook: { _ in nil }, record: { unsafe $0.contents.value(of: key) })
  }

  /// Calls a closure with the record's contents; returns nil if there is only a hook.
  @inline(__always)
  func withRecord<Result>(_ body: (inout RecordContents) -> Result?) -> Result? {
    access(hook: { _ in nil }, record: { unsafe body(&$0.contents) })
  }

  /// Calls a closure with the contents of the record at a place; a new record replaces nil, or an
  /// only hook.
  @inline(__always)
  static func withRecord<Result>(
    makingIn place: inout RecordReference?, _ body: (inout RecordContents) -> Result
  ) -> Result {
    let record: RecordReference
    if let present = place, !present.isHook {
      record = present
    } else {
      record = RecordReference(recordWith: place)
      place = record
    }
    return unsafe record.unmanagedRecord._withUnsafeGuaranteedRef { unsafe body(&$0.contents) }
  }

  /// Takes over a reference to an only hook, if there is one, for a new record.
  @inline(never)
  private init(recordWith hook: RecordReference?) {
    let record = ObjectRecord()
    if let hook { unsafe record.contents.add(hook.unmanagedHook.takeRetainedValue()) }
    self.init(record)
  }

  /// Whether there are neither hooks nor values; called under the lock.
  var isEmpty: Bool { access(hook: { _ in false }, record: { unsafe $0.contents.isEmpty }) }

  /// Removes a hook; called under the lock.
  ///
  /// - Returns: Whether the hook was there, and nothing is left: then the record leaves the table.
  func remove(_ hook: DeinitHook) -> Bool {
    access(
      hook: { $0 === hook },
      record: { unsafe $0.contents.remove(hook) && $0.contents.isEmpty })
  }

  /// Releases the hook or the record.
  func release() {
    if isHook { unsafe unmanagedHook.release() } else { unsafe unmanagedRecord.release() }
  }
}

// MARK: - The end

extension RecordReference {
  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    access(
      hook: { if $0.position == .before { $0.run(object) } },
      record: { $0.runHooksBefore(object) })
  }

  /// Ends the next remnant, while no lock is held, because that may run any code.
  ///
  /// - Returns: Whether none is left.
  func endNext() -> Bool {
    access(
      hook: {
        $0.end()
        return true
      },
      record: { $0.endNext() })
  }

  /// The record after this one in a list of records that end on a thread.
  var next: RecordReference? {
    // SAFETY: accessed only by the thread that ends the record.
    get { access(hook: { unsafe $0.nextEnding }, record: { unsafe $0.nextEnding }) }
    nonmutating set {
      access(hook: { unsafe $0.nextEnding = newValue }, record: { unsafe $0.nextEnding = newValue })
    }
  }
}
