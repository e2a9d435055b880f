private import BlockRuntimeThreads
private import CInvocations.HazardPointers
private import Glibc

/// Retires objects that calls on any thread may be using, and waits for calls.
///
/// A call counts no references: it protects the object that it runs by a hazard pointer of its
/// thread (see `CBRHazardPointers.h`). Code that takes an object away from later calls retires it
/// here. A call whose hazard pointer is marked reports its end to `cleared(_:)`; other calls report
/// nothing.
package enum HazardPointers {
  // SAFETY: the addresses of objects are only compared.

  /// The result of a scan: how many hazard pointers protect certain objects, and which objects.
  package struct Found: Sendable {
    package fileprivate(set) var count = 0
    fileprivate var objects: Set<UInt> = []

    package init() {}

    package static func += (sum: inout Found, other: Found) {
      sum.count += other.count
      sum.objects.formUnion(other.objects)
    }
  }

  /// A scan that is repeated whenever one of the calls that it found has ended.
  private final class Scan {
    /// Finds the calls that are still running.
    let find: @Sendable () -> Found

    /// The keys under which the table has the scan; guarded by the table's lock.
    var objects: Set<UInt> = []

    init(_ find: @escaping @Sendable () -> Found) { self.find = find }
  }

  /// The scans to repeat, by the objects whose calls they wait for.
  private static let scans = GatedLock<[UInt: [Scan]]>([:])

  @safe
  private struct Retired: @unchecked Sendable {
    // SAFETY: immutable. Only calls in progress still use the object, and the scan only retains it.
    let object: AnyObject
    let address: UnsafeRawPointer
  }

  /// Releases an object as soon as no hazard pointer protects it.
  ///
  /// No new call may be able to protect it. Its release may run a `deinit` of other modules, so the
  /// caller must hold no lock.
  ///
  /// - Parameters:
  ///   - object: The object, retained as long as necessary.
  ///   - address: The address in hazard pointers that protect the object.
  package static func retire(
    _ object: consuming some AnyObject & Sendable, _ address: UnsafeRawPointer
  ) {
    // SAFETY: nil stands for several calls.
    if cbr_hazards_have_ended_by_fork() { unsafe cleared(nil) }
    let isFree = ReentrancyGuard.ignoringThread { unsafe findProtecting(address).isEmpty }
    guard !isFree else { return }
    let retired = unsafe Retired(object: object, address: address)
    scan { unsafe findProtecting(retired.address) }
  }

  /// Releases a receiver as soon as no hazard pointer protects it.
  package static func retire(_ receiver: consuming CallReceiver) {
    // SAFETY: the receiver's address is that of its own memory.
    let address = unsafe receiver.address
    unsafe retire(receiver, address)
  }

  /// Runs `find` now, and again whenever calls that it found have ended, until it finds none.
  ///
  /// - Parameter find: Runs under a lock and must free nothing. It returns the sum of what
  ///   `findRunning(_:)` or `findProtecting(_:)` returns.
  package static func scan(until find: @escaping @Sendable () -> Found) {
    EnteredCall.prepare()
    let scan = Scan(find)
    // A call that is found reports its end no earlier than this lock is free, and then finds the
    // scan in the table.
    _ = scans.withLock { run(scan, &$0) }
    withExtendedLifetime(scan) {}
  }

  /// Finds the calls on all threads that run an object which no new call can enter, and marks them.
  package static func findRunning(_ object: UnsafeRawPointer) -> Found {
    unsafe Found(object, cbr_hazards_await(object, true))
  }

  /// Finds the hazard pointers of all threads that protect an object which no new call can load,
  /// and marks them.
  static func findProtecting(_ object: UnsafeRawPointer) -> Found {
    unsafe Found(object, cbr_hazards_await(object, false))
  }

  /// Counts the calls of this thread that run an object.
  static func countHere(running object: UnsafeRawPointer) -> Int {
    unsafe Int(cbr_hazards_count_here(object))
  }

  /// Repeats the scans that wait for a call which has ended.
  ///
  /// - Parameter hazard: The call's hazard pointer, which was marked; nil if several calls may have
  ///   ended, as with their thread.
  package static func cleared(_ hazard: UnsafeMutableRawPointer?) {
    // The caller of the call that ends must see the call's `errno`.
    let error = errno
    defer { errno = error }
    var ended: UInt?
    // SAFETY: hazard pointers are never freed.
    if let hazard = unsafe hazard {
      let pointer = unsafe hazard.assumingMemoryBound(to: cbr_hazard.self)
      guard let awaited = unsafe cbr_hazard_take_awaited(pointer) else { return }
      let mark = UInt(bitPattern: awaited)
      if mark != UInt(CBR_HAZARD_SEVERAL) { ended = mark }
    }
    let over = scans.withLock { table in
      let repeated = ended.map { table[$0] ?? [] } ?? table.values.flatMap(\.self)
      return repeated.filter { run($0, &table) }
    }
    withExtendedLifetime(over) {}
  }

  /// Runs a scan, and stores it in the table under the objects whose calls it found.
  ///
  /// - Returns: Whether the scan found no calls.
  private static func run(_ scan: Scan, _ table: inout [UInt: [Scan]]) -> Bool {
    let found = scan.find()
    for object in scan.objects.subtracting(found.objects) {
      table[object]?.removeAll { $0 === scan }
      if table[object]?.isEmpty == true { table[object] = nil }
    }
    for object in found.objects.subtracting(scan.objects) {
      table[object, default: []].append(scan)
    }
    scan.objects = found.objects
    return found.isEmpty
  }
}

extension HazardPointers.Found {
  /// Whether no hazard pointer was found.
  package var isEmpty: Bool { count == 0 }

  fileprivate init(_ object: UnsafeRawPointer, _ count: Int) {
    self.count = count
    if count > 0 { objects = [UInt(bitPattern: object)] }
  }
}
