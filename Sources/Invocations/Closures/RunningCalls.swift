private import CBlockRuntime.RunningCalls
private import Glibc
private import Locks

// SAFETY, for the whole file: addresses are compared, and never followed.

/// What waits for the end of calls that are running, on whatever thread.
///
/// A call counts no references: it announces what it uses (see `CBRRunningCalls.h`). Whoever takes
/// something away from later calls lets go of it, or waits, through here.
package enum RunningCalls {
  private enum Awaiting: Sendable {
    /// An object that is let go of when no call uses it.
    case release(Retired)
    /// Runs when calls have ended, until it returns true.
    case notice(@Sendable () -> Bool)

    var isOver: Bool {
      switch self {
      case .release(let retired): unsafe countKept(retired.address) == 0
      case .notice(let isOver): isOver()
      }
    }
  }

  @safe
  private struct Retired: @unchecked Sendable {
    // SAFETY: nobody uses the object any more, except calls that are running.
    let object: AnyObject
    let address: UnsafeRawPointer
  }

  private static let awaited = Locked<[Awaiting]>([])

  /// Lets go of an object that calls announce, as soon as no call is inside of it.
  ///
  /// No call may be able to enter it any more. It may run foreign code: call it under no lock.
  ///
  /// - Parameters:
  ///   - object: Kept as long as necessary.
  ///   - address: What the calls announce.
  package static func release(
    _ object: consuming some AnyObject & Sendable, _ address: UnsafeRawPointer
  ) {
    InterposedCalls.passing {
      if unsafe countKept(address) > 0 {
        add(.release(unsafe Retired(object: object, address: address)))
      }
    }
  }

  /// The same for a receiver.
  package static func release(_ receiver: consuming CallReceiver) {
    let address = unsafe receiver.address
    unsafe release(receiver, address)
  }

  /// Runs `isOver` now, and whenever a call ends on a thread that `count(of:)` has looked at, until it
  /// returns true.
  package static func notice(until isOver: @escaping @Sendable () -> Bool) {
    if !isOver() { add(.notice(isOver)) }
  }

  private static func add(_ awaiting: Awaiting) {
    InterposedCalls.passing { awaited.withLock { $0.append(awaiting) } }
    // A call may have ended before this was on the list.
    callEnded()
  }

  /// How many calls on all threads are running what none can enter any more; the end of each of them
  /// is noticed.
  package static func count(of what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_await(what, true))
  }

  /// How many calls on this thread are running something.
  static func countHere(of what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_count_here(what))
  }

  /// How many calls on all threads keep what none can enter any more; the end of each of them is
  /// noticed.
  static func countKept(_ what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_await(what, false))
  }

  /// Looks at everything that is awaited.
  package static func callEnded() {
    // What ends is a call: its caller sees what the call has left.
    let error = errno
    defer { errno = error }
    cbr_running_clear_awaited()
    let over = InterposedCalls.passing {
      awaited.withLock { list -> [Awaiting] in
        let over = list.map(\.isOver)
        defer { list = zip(list, over).filter { !$0.1 }.map(\.0) }
        return zip(list, over).filter(\.1).map(\.0)
      }
    }
    withExtendedLifetime(over) {}
  }
}
