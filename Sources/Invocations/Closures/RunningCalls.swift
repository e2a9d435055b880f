private import CBlockRuntime.RunningCalls
private import Synchronization

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
      case .release(let retired): unsafe cbr_running_await(retired.address, false) == 0
      case .notice(let isOver): isOver()
      }
    }
  }

  fileprivate struct Retired: @unchecked Sendable {
    // SAFETY: nobody uses the object any more, except calls that are running.
    let object: AnyObject

    var address: UnsafeRawPointer {
      unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }
  }

  private static let awaited = Mutex<[Awaiting]>([])

  /// Lets go of an object that calls announce, as soon as no call is inside of it.
  ///
  /// No call may be able to enter it any more. It may run foreign code: call it under no lock.
  package static func release(_ object: consuming some AnyObject & Sendable) {
    let retired = Retired(object: object)
    if unsafe cbr_running_await(retired.address, false) > 0 { add(.release(retired)) }
  }

  /// Runs `isOver` now, and whenever a call ends on a thread that `count(of:)` has looked at, until it
  /// returns true.
  package static func notice(until isOver: @escaping @Sendable () -> Bool) {
    if !isOver() { add(.notice(isOver)) }
  }

  private static func add(_ awaiting: Awaiting) {
    awaited.withLock { $0.append(awaiting) }
    // A call may have ended before this was on the list.
    callEnded()
  }

  /// How many calls on all threads are running what none can enter any more; the end of each of them
  /// is noticed.
  package static func count(of what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_await(what, true))
  }

  /// How many calls on this thread are running something.
  package static func countHere(of what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_count_here(what))
  }

  /// Whether calls use a receiver that none can enter any more.
  package static func isUsed(_ receiver: CallReceiver) -> Bool {
    unsafe cbr_running_await(Unmanaged.passUnretained(receiver).toOpaque(), false) > 0
  }

  /// Whether a call on this thread is inside of a receiver of a block's calls.
  package static func isInside(_ life: BlockLife) -> Bool {
    unsafe cbr_running_any_here(
      { what, life in
        // SAFETY: what is announced are objects, kept at least until the announcement ends.
        return unsafe Unmanaged<AnyObject>.fromOpaque(what)._withUnsafeGuaranteedRef { object in
          guard let own = (object as? CallReceiver)?.life else { return false }
          return unsafe Unmanaged.passUnretained(own).toOpaque() == life
        }
      }, Unmanaged.passUnretained(life).toOpaque())
  }

  /// Looks at everything that is awaited.
  package static func callEnded() {
    unsafe cbr_running_clear_awaited(cbr_thread_current())
    let over = awaited.withLock { list -> [Awaiting] in
      let over = list.map(\.isOver)
      defer { list = zip(list, over).filter { !$0.1 }.map(\.0) }
      return zip(list, over).filter(\.1).map(\.0)
    }
    withExtendedLifetime(over) {}
  }
}
