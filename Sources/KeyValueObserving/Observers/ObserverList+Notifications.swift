public import CBlockRuntime.Observing
public import Synchronization

/// What a change does, besides its values.
@usableFromInline
struct ChangeOutline {
  @usableFromInline var kind: ChangeKind
  @usableFromInline var indexes: RangeSet<Int>?

  @inlinable
  init(_ kind: ChangeKind, _ indexes: RangeSet<Int>? = nil) {
    self.kind = kind
    self.indexes = indexes
  }
}

extension ObserverList {
  /// Tells all observers of a new value that was set, where none wants anything else.
  @inlinable
  func notify<Value>(_ object: AnyObject, new: Value) {
    let table = beginNotification()
    defer { endNotification() }
    guard table.count > 0 else { return }
    // Made once: to make a change, and to end it, costs more than to hand it on.
    let change = Change(setting: new)
    unsafe ObserverCalls.run { calls in
      for index in 0..<table.count {
        // SAFETY: the table is kept while a notification is under way.
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

  /// Tells observers of a change that is to come, or has come.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - isPrior: Whether it is to come: then only observers are told that ask for it.
  ///   - next: The observers that were there when the change began have lower numbers.
  ///   - old: Given to observers that ask for it.
  ///   - new: Given to observers that ask for it.
  @inlinable
  func notify<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, isPrior: Bool = false,
    below next: UInt64 = .max, old: Value?, new: Value?
  ) {
    let table = beginNotification()
    for index in 0..<table.count {
      // SAFETY: the table is kept while a notification is under way.
      unsafe table[index]._withUnsafeGuaranteedRef { observer in
        guard observer.isOlder(than: next) else { return observer.follow() }
        guard !isPrior || observer.demands.contains(.prior) else { return }
        let change = Change(
          kind: outline.kind, old: observer.demands.contains(.old) ? old : nil,
          new: observer.demands.contains(.new) ? new : nil, indexes: outline.indexes,
          isPrior: isPrior)
        unsafe ObserverCalls.run { calls in unsafe observer.tell(object, change, calls) }
      }
    }
    endNotification()
  }

  /// Tells observers of a set that is to come, where some want to know before.
  ///
  /// - Returns: The observers with lower numbers are told when it has come.
  @inlinable @inline(never)
  func notifyBefore<Value>(_ object: AnyObject, old: Value) -> UInt64 {
    let next = KeyValueObservation.nextNumber
    notify(object, ChangeOutline(.setting), isPrior: true, old: old, new: nil)
    return next
  }

  /// Tells observers of a set that has come, where some want more than the new value.
  @inlinable @inline(never)
  func notifyAfter<Value>(_ object: AnyObject, below next: UInt64, old: Value, new: Value) {
    notify(object, ChangeOutline(.setting), below: next, old: old, new: new)
  }

  /// Changes a property, and tells its observers before and after.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - old: What observers get as old, read before the change.
  ///   - new: What they get as new, read after it; of the whole value if the change was not made as
  ///     outlined.
  ///   - change: Makes it; says whether as outlined. An observer that was called before may have
  ///     changed the property.
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
    let before = demands & (Self.wantsOld | Self.wantsPrior) != 0 ? old() : nil
    var next = UInt64.max
    if demands & Self.wantsPrior != 0 {
      next = KeyValueObservation.nextNumber
      notify(object, outline, isPrior: true, old: before, new: nil)
    }
    let isAsOutlined = change()
    let outline = isAsOutlined ? outline : ChangeOutline(.setting)
    notify(object, outline, below: next, old: before, new: new(!isAsOutlined))
  }
}

/// The calls that a notification makes, one after the other, as the thread's innermost.
@usableFromInline @unsafe
struct ObserverCalls {
  @usableFromInline let frame: UnsafeMutablePointer<cbr_observer_call>

  @inlinable
  init(frame: UnsafeMutablePointer<cbr_observer_call>) { unsafe self.frame = frame }

  /// Calls a closure that may call observers.
  @inlinable @inline(__always)
  static func run(_ body: (ObserverCalls) -> Void) {
    let thread = unsafe cbr_observing_here()
    var frame = unsafe cbr_observer_call(observer: nil, outer: thread.pointee.call)
    // SAFETY: the frame is the thread's innermost until it is taken away, on the same thread.
    unsafe withUnsafeMutablePointer(to: &frame) { frame in
      unsafe thread.pointee.call = frame
      unsafe body(ObserverCalls(frame: frame))
      unsafe thread.pointee.call = frame.pointee.outer
    }
  }
}

extension KeyValueObservation {
  /// Tells a user's observer or a link of a path.
  @inlinable @inline(__always)
  func tell<Value>(_ object: AnyObject, _ change: Change<Value>, _ calls: ObserverCalls) {
    if !cbr_observing_is_plain(), demands.rawValue & ObservingOptions.linkBit == 0 {
      deliverInMode(object, change)
    } else {
      unsafe call(object, change, calls)
    }
  }

  /// Tells an observer that wants no values.
  @inlinable @inline(never)
  func tellWithoutValues<Value>(_ object: AnyObject, of type: Value.Type, _ calls: ObserverCalls) {
    unsafe tell(object, Change<Value>(), calls)
  }

  /// Lets a path that was made during a change follow it, without telling of it.
  @usableFromInline
  func follow() { path?.linkFollows() }

  @inlinable
  func isOlder(than next: UInt64) -> Bool { number < next }
}

extension ObservingOptions {
  // Constants where they are used; the options themselves are read through a function.
  @inlinable static var newBit: UInt8 { 4 }
  @inlinable static var linkBit: UInt8 { 128 }
}
