private import BlockRuntimeThreads
private import CInvocations.RunningCalls
private import Glibc

// SAFETY, for the whole file: addresses are compared, and never followed.

/// What waits for the end of calls that are running, on whatever thread.
///
/// A call counts no references: it announces what it uses (see `CBRRunningCalls.h`). Whoever takes
/// something away from later calls lets go of it, or waits, through here. The end of a call looks at
/// what is awaited of that very call, and at nothing else.
package enum RunningCalls {
  /// Calls that were found running: how many, and what they announce.
  package struct Found: Sendable {
    package fileprivate(set) var count = 0
    fileprivate var announced: Set<UInt> = []

    package init() {}

    package static func += (sum: inout Found, other: Found) {
      sum.count += other.count
      sum.announced.formUnion(other.announced)
    }
  }

  /// What happens when certain calls have ended.
  private final class Awaiting: @unchecked Sendable {
    // SAFETY: `announced` is guarded by the table's lock.

    /// Finds the calls that are running still.
    let find: @Sendable () -> Found

    /// Where it stands in the table.
    var announced: Set<UInt> = []

    init(_ find: @escaping @Sendable () -> Found) { self.find = find }
  }

  /// What is awaited of the calls that announce an address.
  private static let awaited = Locked<[UInt: [Awaiting]]>([:])

  @safe
  private struct Retired: @unchecked Sendable {
    // SAFETY: nobody uses the object any more, except calls that are running.
    let object: AnyObject
    let address: UnsafeRawPointer
  }

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
    let isFree = ReentrancyGuard.ignoringThread { unsafe findKept(address).isEmpty }
    guard !isFree else { return }
    let retired = unsafe Retired(object: object, address: address)
    notice { unsafe findKept(retired.address) }
  }

  /// The same for a receiver.
  package static func release(_ receiver: consuming CallReceiver) {
    let address = unsafe receiver.address
    unsafe release(receiver, address)
  }

  /// Runs `find` now, and whenever calls have ended that it found, until it finds none.
  ///
  /// - Parameter find: Runs under a lock; frees nothing, and gives the sum of what `find(_:)` gives.
  package static func notice(until find: @escaping @Sendable () -> Found) {
    EnteredCall.prepare()
    let awaiting = Awaiting(find)
    // What is found ends no earlier than the lock is free: its end finds this in the table.
    _ = ReentrancyGuard.ignoringThread { awaited.withLock { look(awaiting, &$0) } }
    withExtendedLifetime(awaiting) {}
  }

  /// The calls on all threads that are running what none can enter any more; their ends are noticed.
  package static func find(_ what: UnsafeRawPointer) -> Found {
    unsafe Found(what, cbr_running_await(what, true))
  }

  /// How many calls on this thread are running something.
  static func countHere(of what: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_running_count_here(what))
  }

  /// The calls on all threads that keep what none can enter any more; their ends are noticed.
  static func findKept(_ what: UnsafeRawPointer) -> Found {
    unsafe Found(what, cbr_running_await(what, false))
  }

  /// Looks at what is awaited of a call that has ended.
  ///
  /// - Parameter place: Where it was announced; nil where a thread ended inside of calls.
  package static func callEnded(_ place: UnsafeMutableRawPointer?) {
    // What ends is a call: its caller sees what the call has left.
    let error = errno
    defer { errno = error }
    var ended: UInt?
    if let place = unsafe place {
      let running = unsafe place.assumingMemoryBound(to: cbr_running.self)
      guard let awaited = unsafe cbr_running_take_awaited(running) else { return }
      ended = UInt(bitPattern: awaited)
    }
    let over = ReentrancyGuard.ignoringThread {
      awaited.withLock { table in
        let meant = ended.map { table[$0] ?? [] } ?? table.values.flatMap(\.self)
        return meant.filter { look($0, &table) }
      }
    }
    withExtendedLifetime(over) {}
  }

  /// Looks at what is awaited, and puts it where the ends of the calls find it that are running still.
  ///
  /// - Returns: Whether there are none.
  private static func look(_ awaiting: Awaiting, _ table: inout [UInt: [Awaiting]]) -> Bool {
    let found = awaiting.find()
    for address in awaiting.announced.subtracting(found.announced) {
      table[address]?.removeAll { $0 === awaiting }
      if table[address]?.isEmpty == true { table[address] = nil }
    }
    for address in found.announced.subtracting(awaiting.announced) {
      table[address, default: []].append(awaiting)
    }
    awaiting.announced = found.announced
    return found.isEmpty
  }
}

extension RunningCalls.Found {
  package var isEmpty: Bool { count == 0 }

  fileprivate init(_ what: UnsafeRawPointer, _ count: Int) {
    self.count = count
    if count > 0 { announced = [UInt(bitPattern: what)] }
  }
}
