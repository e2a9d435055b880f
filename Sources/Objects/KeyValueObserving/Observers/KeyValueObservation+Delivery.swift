public import CKeyValueObserving.Observing
public import Synchronization

extension KeyValueObservation {
  // MARK: Delivery

  /// Delivers a change: the handler runs now, or at the end of the thread's transaction.
  @inlinable
  func deliver<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if !cbr_observing_is_plain() { return deliverInMode(object, change) }
    runHandler(object, change)
  }

  /// Delivers a change, within a frame that several deliveries of a notification may share.
  @inlinable @inline(__always)
  func deliver<Value>(_ object: AnyObject, _ change: Change<Value>, in frame: HandlerFrame) {
    if !cbr_observing_is_plain() {
      deliverInMode(object, change)
    } else {
      unsafe runHandler(object, change, in: frame)
    }
  }

  /// Delivers a setting to an observer that asks for no values.
  @inlinable @inline(never)
  func deliverWithoutValues<Value>(
    _ object: AnyObject, of type: Value.Type, in frame: HandlerFrame
  ) {
    unsafe deliver(object, Change<Value>(), in: frame)
  }

  /// Delivers a change while any thread is in a mode: it tracks dependencies, is in a transaction,
  /// or notifies observers in order (see CBRObserving.h).
  @usableFromInline
  func deliverInMode<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if let transaction = ChangeTransaction.current {
      transaction.take(change, of: object, for: self)
    } else {
      runHandlerInOrder(object, change)
    }
  }

  // MARK: Calls

  /// Runs the handler for a change: now, or, if the observer is called in order, after the calls
  /// for earlier changes.
  func runHandlerInOrder<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if demands.contains(.inOrder), WaitingCalls.isNested {
      let change = change.demanded(by: demands)
      WaitingCalls.append(
        leaveOut(change, of: object) ?? { self.runHandler(object, change) })
    } else {
      DependencyTracker.suspended { runHandler(object, change) }
    }
  }

  /// Delivers a change of which no other observer is notified.
  func deliverAlone<Value>(_ object: AnyObject, _ change: Change<Value>) {
    let isInOrder = demands.contains(.inOrder)
    let outer = isInOrder ? WaitingCalls.begin() : 0
    deliverInMode(object, change)
    if isInOrder { WaitingCalls.end(outer) }
  }

  /// Runs the handler for the value at the beginning, at once, also in a transaction.
  func runInitialCall<Value>(_ object: AnyObject, _ change: Change<Value>) {
    let isInOrder = demands.contains(.inOrder)
    let outer = isInOrder ? WaitingCalls.begin() : 0
    DependencyTracker.suspended { runHandler(object, change) }
    if isInOrder { WaitingCalls.end(outer) }
  }

  /// Runs the handler for a change, unless the observer has been removed.
  @inlinable
  func runHandler<Value>(_ object: AnyObject, _ change: Change<Value>) {
    unsafe HandlerFrame.withNew { frame in unsafe runHandler(object, change, in: frame) }
  }

  /// Runs the handler for a change within a frame, unless the observer has been removed.
  @inlinable @inline(__always)
  func runHandler<Value>(_ object: AnyObject, _ change: Change<Value>, in frame: HandlerFrame) {
    guard beginCall() else { return runHeldHandler(object, change) }
    unsafe frame.pointer.pointee.observer = UnsafeRawPointer(
      Unmanaged.passUnretained(self).toOpaque())
    // SAFETY: a list is notified with values of its property's type, which is the type of its
    // observers' handlers; the handler is not released while a call is in progress.
    unsafe Unmanaged<ChangeHandler<Value>>.fromOpaque(handler.toOpaque())
      ._withUnsafeGuaranteedRef {
        do { try $0.body(object, change) } catch { fail(error) }
      }
    unsafe frame.pointer.pointee.observer = nil
    endCall()
  }

  /// Runs a closure that belongs to the handler, unless the observer is in one of some states.
  ///
  /// The closure is one of the observer's calls: `removeAndWait()` waits for it, and an error ends
  /// the observation.
  ///
  /// - Returns: Whether it ran.
  @discardableResult
  func runHandler(unless states: UInt32 = removed, _ body: () throws -> Void) -> Bool {
    guard beginCall(unless: states) else { return false }
    unsafe HandlerFrame.withNew { frame in
      // SAFETY: the frame is this thread's, and valid until the closure returns.
      unsafe frame.pointer.pointee.observer = UnsafeRawPointer(
        Unmanaged.passUnretained(self).toOpaque())
      do { try body() } catch { fail(error) }
    }
    endCall()
    return true
  }

  /// Counts a call that begins, unless the observer is in one of some states.
  @inlinable
  func beginCall(unless states: UInt32 = removed | held) -> Bool {
    var present = calls.load(ordering: .relaxed)
    while present & states == 0 {
      let result = calls.weakCompareExchange(
        expected: present, desired: present + 1, ordering: .acquiringAndReleasing)
      if result.exchanged { return true }
      present = result.original
    }
    return false
  }

  @inlinable
  func endCall() {
    let now = calls.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if now & Self.removed != 0 { endCallOfRemoved(now) }
  }

  @usableFromInline
  func endCallOfRemoved(_ now: UInt32) {
    // SAFETY: the last call of a removed observer is the last user of its handler, and releases it.
    if now & Self.count == 0 { unsafe handler.release() }
    cbr_observing_wake()
  }

  /// Whether a call of this observer is in progress on the calling thread.
  var isRunningHere: Bool {
    let me = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    var frame = unsafe cbr_observing_here().pointee.call
    // SAFETY: the frames are variables of calls in progress on this thread, innermost first.
    while let call = unsafe frame {
      if unsafe call.pointee.observer == me { return true }
      unsafe frame = call.pointee.outer
    }
    return false
  }
}

/// A frame in which handlers run, one after the other: the innermost in the thread's list.
@usableFromInline @unsafe
struct HandlerFrame {
  @usableFromInline let pointer: UnsafeMutablePointer<cbr_observer_call>

  @inlinable
  init(pointer: UnsafeMutablePointer<cbr_observer_call>) { unsafe self.pointer = pointer }

  /// Calls a closure with a new frame; the closure may run handlers.
  @inlinable @inline(__always)
  static func withNew(_ body: (HandlerFrame) -> Void) {
    let thread = unsafe cbr_observing_here()
    var frame = unsafe cbr_observer_call(observer: nil, outer: thread.pointee.call)
    // SAFETY: the frame is removed from the thread's list, on the same thread, before it ends.
    unsafe withUnsafeMutablePointer(to: &frame) { frame in
      unsafe thread.pointee.call = frame
      unsafe body(HandlerFrame(pointer: frame))
      unsafe thread.pointee.call = frame.pointee.outer
    }
  }
}
