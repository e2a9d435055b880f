import BlockRuntime
import BlockRuntimeThreads
import CFixtures
import Foundation
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are those of the C library, or are compiled here; the
// blocks are the fixtures'.

/// What the library does itself while what it calls is hooked: no handler runs in the middle of it.
final class OwnCallTests: XCTestCase {
  /// What the library's C calls, by name and signature.
  private static let functions = [
    ("malloc", "^vQ"), ("calloc", "^vQQ"), ("free", "v^v"), ("strdup", "**"), ("strndup", "**Q"),
    ("pthread_once", "i^i^?"), ("pthread_key_create", "i^I^?"), ("pthread_getspecific", "^vI"),
    ("pthread_setspecific", "iI^v"), ("pthread_mutex_lock", "i^v"), ("pthread_mutex_unlock", "i^v"),
    ("pthread_rwlock_tryrdlock", "i^v"), ("pthread_rwlock_timedwrlock", "i^v^v"),
    ("pthread_rwlock_unlock", "i^v"), ("pthread_cond_broadcast", "i^v"), ("syscall", "qqqqqqq"),
    ("clock_gettime", "ii^v"), ("dl_iterate_phdr", "i^?^v"), ("dladdr1", "i^v^v^vi"),
    ("dlsym", "^v^v*"), ("memfd_create", "i*I"), ("mmap", "^v^vQiiiq"), ("prctl", "iiQQQQ"),
    ("getpid", "i"), ("open", "i*i"), ("fstat", "ii^v"), ("backtrace", "i^vi"),
  ]

  private final class Person: KeyValueObservable, @unchecked Sendable {
    @Observed var name = ""
  }

  private final class Owned {}

  private static let rounds = Atomic(0)

  /// Comes by everything that allocates, locks or asks the system.
  private static func useEverything() throws {
    let number = rounds.add(1, ordering: .relaxed).newValue
    let seen = Atomic(0)
    let countdown = unsafe try XCTUnwrap(fixture_heap_countdown(nil))
    let block = unsafe Block(unsafePointer: countdown)
    let hook = try block.hook { call in try call.proceed() }
    // More hazard pointers than fit into the thread's first segment.
    XCTAssertEqual(unsafe fixture_call_int(countdown, 100), 100)
    hook.removeAndWait()
    unsafe fixture_release(countdown)

    XCTAssertEqual("\(Selector("own\(number):call:"))", "own\(number):call:")
    let owned = Owned()
    try onDeinit(of: owned) { seen.add(1, ordering: .relaxed) }
    let person = Person()
    let token = person.observe(\.name) { _, _ in seen.add(1, ordering: .relaxed) }
    person.name = "own"
    token.removeAndWait()
    _ = DelayTimer.shared.perform(after: .zero) { seen.add(1, ordering: .relaxed) }.wait()
    let pointer = try FunctionPointer(signature: "ii") { call in
      try call.setResult(call.argument(0, as: Int32.self))
    }
    let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "ii")
    XCTAssertEqual(try withExtendedLifetime(pointer) { try function(number) as Int }, number)
    XCTAssertEqual(unsafe fixture_fork({ _ in 7 }, nil), 7)
    XCTAssertFalse(ImportSlot.all(of: "malloc").isEmpty)
  }

  func testWhatTheLibraryDoesItselfIsNotHooked() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program")
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let others: Set = ["swift_allocObject", "swift_retain"]
    try XCTSkipIf(
      others.allSatisfy { ImportSlot.all(of: $0, in: .only(program)).isEmpty },
      "linked statically, the program makes the calls of Swift's runtime too")
    let seen = Mutex<Set<String>>([])
    let hooks = try Self.functions.compactMap { name, signature -> Hook? in
      guard !ImportSlot.all(of: name, in: .only(program)).isEmpty else { return nil }
      let function = unsafe try ImportedFunction(
        name, signature: signature, in: .only(program))
      return try function.hook(.before) { call in
        let caller = call.callers(limit: 1).first?.function?.description ?? "nowhere"
        _ = seen.withLock { $0.insert("\(name) from \(caller)") }
      }
    }
    XCTAssertGreaterThan(hooks.count, 15)
    for _ in 0..<3 {
      // Its last act is over when it is joined.
      fixture_on_a_thread {
        do { try OwnCallTests.useEverything() } catch { XCTFail("\(error)") }
      }
    }
    for hook in hooks { hook.removeAndWait() }
    XCTAssertEqual(seen.withLock { $0.sorted() }, [])
  }

  func testWhatRunsUnderALockOfTheLibraryIsNotHooked() throws {
    let victims = try Victims(self, "locked")
    let client = try victims.client()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let calls = Atomic(0)
    let hook = try twice.hook(.before) { _ in calls.add(1, ordering: .relaxed) }
    let lock = Locked(1)
    XCTAssertEqual(lock.withLock { client(Int32($0)) }, 3)
    XCTAssertEqual(lock.withLockIfAvailable { client(Int32($0)) }, 3)
    XCTAssertEqual(calls.load(ordering: .relaxed), 0)
    XCTAssertEqual(client(1), 3)
    XCTAssertEqual(calls.load(ordering: .relaxed), 1)
    hook.remove()
  }

  func testAHandlerOfMallocMayUseTheLibraryForTheFirstTime() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for malloc")
    let malloc = unsafe try ImportedFunction("malloc", signature: "^vQ")
    let number = Atomic(0)
    let hook = try malloc.hook(.before) { _ in
      let name = "handler\(number.add(1, ordering: .relaxed).newValue):"
      _ = Selector(name)
      try onDeinit(of: Owned()) {}
    }
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for number in 0..<100 {
        _ = Selector("first\(number):")
        _ = unsafe free(Glibc.malloc(100 + number))
      }
      isOver.signal()
    }
    XCTAssertEqual(isOver.wait(timeout: .now() + 20), .success)
    hook.remove()
  }
}
