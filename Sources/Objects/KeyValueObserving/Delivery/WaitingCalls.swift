internal import CKeyValueObserving.Observing

/// The calls that wait for the end of a notification, because their observers are called in order.
///
/// Each thread has its own object. A change that is made within a call of a notification makes a
/// nested one: its calls would come before those of the outer notification that are left, with
/// older values. They wait, in the order of their changes, until the outermost notification has
/// made its own calls. A change that a waiting call makes is nested too.
@usableFromInline
final class WaitingCalls {
  private var calls: [() -> Void] = []
  /// The index of the next call to make.
  private var next = 0

  /// Notes the beginning of a notification that concerns observers that are called in order.
  ///
  /// - Returns: The outer notification's place among the calls that wait, for `end`.
  @usableFromInline
  static func begin() -> Int {
    let thread = unsafe cbr_observing_here()
    if unsafe thread.pointee.notifications == 0 { cbr_observing_begin_mode() }
    unsafe thread.pointee.notifications += 1
    let outer = unsafe thread.pointee.place
    // After the calls for all earlier changes, and before those for changes that its own calls
    // make.
    unsafe thread.pointee.place = here?.calls.count ?? 0
    return outer
  }

  /// Notes the end of a notification; makes the calls that wait if it is the outermost.
  ///
  /// - Parameter outer: What `begin` returned.
  @usableFromInline
  static func end(_ outer: Int) {
    let thread = unsafe cbr_observing_here()
    if unsafe thread.pointee.notifications == 1, let waiting = here {
      waiting.run()
      unsafe thread.pointee.waiting = nil
      // SAFETY: `append` has retained it, and nothing else uses it after the last call.
      unsafe Unmanaged.passUnretained(waiting).release()
    }
    unsafe thread.pointee.place = outer
    unsafe thread.pointee.notifications -= 1
    if unsafe thread.pointee.notifications == 0 { cbr_observing_end_mode() }
  }

  /// Whether a notification that concerns observers that are called in order is in progress.
  static var isAny: Bool { unsafe cbr_observing_here().pointee.notifications > 0 }

  /// Whether a notification is in progress within another one.
  static var isNested: Bool { unsafe cbr_observing_here().pointee.notifications > 1 }

  /// Makes a call for the innermost notification's change at the end of the outermost notification.
  static func append(_ call: @escaping () -> Void) {
    let thread = unsafe cbr_observing_here()
    let waiting = here ?? WaitingCalls()
    if unsafe thread.pointee.waiting == nil {
      unsafe thread.pointee.waiting = Unmanaged.passRetained(waiting).toOpaque()
    }
    waiting.calls.insert(call, at: unsafe thread.pointee.place)
    unsafe thread.pointee.place += 1
  }

  /// The calling thread's calls that wait.
  private static var here: WaitingCalls? {
    guard let waiting = unsafe cbr_observing_here().pointee.waiting else { return nil }
    // SAFETY: `append` has retained it, on this thread, until the end of the outermost
    // notification.
    return unsafe Unmanaged<WaitingCalls>.fromOpaque(waiting).takeUnretainedValue()
  }

  private func run() {
    while next < calls.count {
      let call = calls[next]
      next += 1
      // Calls that have been made are released; no notification has a place among them now.
      if next == 64 {
        calls.removeFirst(next)
        next = 0
      }
      DependencyTracker.suspended(call)
    }
  }
}
