public import CKeyValueObserving.Observing
public import Synchronization

/// What a change does, besides its values.
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

  /// Tells observers of a change that is to come, if they ask for it.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - old: Given to observers that ask for it.
  ///   - isByHand: Whether the change is by hand.
  /// - Returns: What `end` needs.
  @inlinable @inline(never)
  func begin<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, old: Value?, isByHand: Bool = false
  ) -> ChangeStart {
    var start = ChangeStart(next: KeyValueObservation.nextNumber, isByHand: isByHand)
    tell(object, outline, isPrior: true, &start, old: old, new: nil)
    // Observers may have led further paths through the property.
    if wants(Self.hasLinks) { noteValuesOfPaths(outline, old, &start) }
    return start
  }

  /// Tells observers of a change that has come.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - start: What `begin` returned, if there was reason to call it.
  ///   - old: Given to observers that ask for it.
  ///   - new: Given to observers that ask for it.
  @inlinable @inline(never)
  func end<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, _ start: ChangeStart?, old: Value?, new: Value?
  ) {
    var start = start ?? ChangeStart()
    tell(object, outline, isPrior: false, &start, old: old, new: new)
  }

  /// Changes a property, and tells its observers before and after.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - old: What observers get as old, read before the change if one asks for it.
  ///   - new: What they get as new, read after it if one asks for it; of the whole value if the
  ///     change was not made as outlined.
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
    let before = demands & Self.wantsOld != 0 ? old() : nil
    let start = demands & Self.wantsPrior != 0 ? begin(object, outline, old: before) : nil
    let isAsOutlined = change()
    let after = wants(Self.wantsNew) ? new(!isAsOutlined) : nil
    end(
      object, isAsOutlined ? outline : ChangeOutline(.setting), start, old: before, new: after)
  }

  /// Whether some observer asks for one of these.
  @inlinable
  func wants(_ demands: UInt8) -> Bool {
    self.demands.load(ordering: .acquiring) & demands != 0
  }

  /// Tells observers of a change, in their order.
  ///
  /// What paths tell is taken before anybody is told: an observer may change what they lead through.
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
      // SAFETY: the table is kept while a notification is under way.
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
  /// Tells a user's observer.
  @inlinable @inline(__always)
  func tell<Value>(_ object: AnyObject, _ change: Change<Value>, _ calls: ObserverCalls) {
    if !cbr_observing_is_plain() {
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

  @inlinable
  func isOlder(than next: UInt64) -> Bool { number < next }
}

extension ObservingOptions {
  // Constants where they are used; the options themselves are read through a function.
  @inlinable static var newBit: UInt8 { 4 }
  @inlinable static var linkBit: UInt8 { 128 }
}
