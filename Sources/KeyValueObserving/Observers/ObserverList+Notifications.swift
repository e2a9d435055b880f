public import CKeyValueObserving.Observing
public import Synchronization

/// A change without its values: its kind, and its indexes.
@usableFromInline
struct ChangeOutline {
  @usableFromInline var kind: ChangeKind
  @usableFromInline var places: ChangePlaces?

  @inlinable
  init(_ kind: ChangeKind) {
    self.kind = kind
    places = nil
  }

  init(_ kind: ChangeKind, _ indexes: RangeSet<Int>?) {
    self.kind = kind
    places = indexes.map { ChangePlaces($0) }
  }
}

extension ObserverList {
  /// Notifies all observers of a new value, if none asks for old values, prior calls or paths.
  @inlinable
  func notify<Value>(_ object: AnyObject, new: Value) {
    let table = beginNotification()
    defer { endNotification() }
    guard table.count > 0 else { return }
    // Created once: creating and destroying a change costs more than passing it on.
    let change = Change(setting: new)
    unsafe ObserverCalls.run { calls in
      for index in 0..<table.count {
        // SAFETY: the index is below the count; tables are not freed during a notification.
        unsafe table[index]._withUnsafeGuaranteedRef { observer in
          if observer.demands.rawValue & ObservingOptions.newBit != 0 {
            unsafe observer.tell(object, change, calls)
          } else {
            unsafe observer.tellWithoutValues(object, of: Value.self, calls)
          }
        }
      }
    }
  }

  /// Notifies the observers that ask for prior calls of a change that is about to be made.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - old: The old value, for observers that ask for it.
  ///   - isManual: Whether the change is manual.
  /// - Returns: The beginning of the change, for `end`.
  @inlinable @inline(never)
  func begin<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, old: Value?, isManual: Bool = false
  ) -> ChangeStart {
    var start = ChangeStart(next: KeyValueObservation.nextNumber, isManual: isManual)
    tell(object, outline, isPrior: true, &start, old: old, new: nil)
    // Observers may have led more paths through the property.
    if wants(Self.hasLinks) { noteValuesOfPaths(outline, old, &start) }
    return start
  }

  /// Notifies observers of a change that has been made.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - start: What `begin` returned, if it was called.
  ///   - old: The old value, for observers that ask for it.
  ///   - new: The new value, for observers that ask for it.
  @inlinable @inline(never)
  func end<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, _ start: ChangeStart?, old: Value?, new: Value?
  ) {
    var start = start ?? ChangeStart()
    tell(object, outline, isPrior: false, &start, old: old, new: new)
  }

  /// Changes a property, and notifies its observers before and after.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - old: Reads the old value before the change, if an observer asks for it.
  ///   - new: Reads the new value after the change, if an observer asks for it; the whole value if
  ///     the change was not as outlined.
  ///   - change: Makes the change, and returns whether it is as outlined: a prior call of an
  ///     observer may have changed the property.
  @inlinable @inline(never)
  func change<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, old: () -> Value?,
    new: (_ isWhole: Bool) -> Value?, _ change: () -> Bool
  ) {
    let demands = demands.load(ordering: .acquiring)
    if demands & Self.isOpen != 0 {
      _ = change()
      return
    }
    let before = demands & Self.wantsOld != 0 ? old() : nil
    let start = demands & Self.wantsPrior != 0 ? begin(object, outline, old: before) : nil
    let isAsOutlined = change()
    let after = wants(Self.wantsNew) ? new(!isAsOutlined) : nil
    end(
      object, isAsOutlined ? outline : ChangeOutline(.setting), start, old: before, new: after)
  }

  /// Whether one of some bits of `demands` is set.
  @inlinable
  func wants(_ demands: UInt8) -> Bool {
    self.demands.load(ordering: .acquiring) & demands != 0
  }

  /// Notifies observers of a change, in the order of registration.
  ///
  /// The calls of paths' observers are collected before any observer is called, because an observer
  /// may change the properties that the paths lead through.
  @inlinable
  func tell<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, isPrior: Bool, _ start: inout ChangeStart,
    old: Value?, new: Value?
  ) {
    let table = beginNotification()
    defer { endNotification() }
    let count = table.count
    let change = Change(outline, old: old, new: new, isPrior: isPrior)
    var calls = wants(Self.hasLinks) ? callsOfPaths(table, count, change, &start) : []
    for index in 0..<count {
      // SAFETY: the index is below the count; tables are not freed during a notification.
      unsafe table[index]._withUnsafeGuaranteedRef { observer in
        if observer.demands.rawValue & ObservingOptions.linkBit != 0 {
          if calls.first?.index == index { calls.removeFirst().body() }
        } else if observer.isOlder(than: start.next), !isPrior || observer.demands.contains(.prior)
        {
          let change = change.demanded(by: observer.demands)
          unsafe ObserverCalls.run { calls in unsafe observer.tell(object, change, calls) }
        }
      }
    }
  }
}

/// The frame of a notification's calls of observers, the innermost in the thread's list.
@usableFromInline @unsafe
struct ObserverCalls {
  @usableFromInline let frame: UnsafeMutablePointer<cbr_observer_call>

  @inlinable
  init(frame: UnsafeMutablePointer<cbr_observer_call>) { unsafe self.frame = frame }

  /// Calls a closure with a new frame; the closure may call observers.
  @inlinable @inline(__always)
  static func run(_ body: (ObserverCalls) -> Void) {
    let thread = unsafe cbr_observing_here()
    var frame = unsafe cbr_observer_call(observer: nil, outer: thread.pointee.call)
    // SAFETY: the frame is removed from the thread's list, on the same thread, before it ends.
    unsafe withUnsafeMutablePointer(to: &frame) { frame in
      unsafe thread.pointee.call = frame
      unsafe body(ObserverCalls(frame: frame))
      unsafe thread.pointee.call = frame.pointee.outer
    }
  }
}

extension KeyValueObservation {
  /// Notifies an observer of the user's.
  @inlinable @inline(__always)
  func tell<Value>(_ object: AnyObject, _ change: Change<Value>, _ calls: ObserverCalls) {
    if !cbr_observing_is_plain() {
      deliverInMode(object, change)
    } else {
      unsafe call(object, change, calls)
    }
  }

  /// Notifies an observer that asks for no values.
  @inlinable @inline(never)
  func tellWithoutValues<Value>(_ object: AnyObject, of type: Value.Type, _ calls: ObserverCalls) {
    unsafe tell(object, Change<Value>(), calls)
  }

  @inlinable
  func isOlder(than next: UInt64) -> Bool { number < next }
}

extension ObservingOptions {
  // Inlined constants; reading the options themselves calls an accessor.
  @inlinable static var newBit: UInt8 { 4 }
  @inlinable static var linkBit: UInt8 { 128 }
}
