import BlockABI
import BlockHooks
import BlockRuntimeThreads
import CFixtures
import CallTracing
import Dispatch
import Glibc
import Invocations
import QueueTracing
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so its functions are known.

/// Forks of a process whose threads change hooks: the child makes the same changes, and ends.
final class ForkedChangeTests: XCTestCase {
  private static let source = """
    #include <setjmp.h>
    #include <stddef.h>
    extern const void *_Block_copy(const void *);
    extern void _Block_release(const void *);
    extern void *_NSConcreteStackBlock[];

    struct block;
    struct descriptor { size_t reserved, size; };
    struct block {
      void *isa; int flags, reserved; void *invoke; struct descriptor *descriptor;
    };
    static struct descriptor descriptor = {0, sizeof(struct block)};
    static _Thread_local jmp_buf place;

    static void opaque_return(struct block *block) {}
    static void opaque_jump(struct block *block) { longjmp(place, 1); }

    static void call_opaque(void (*invoke)(struct block *)) {
      struct block block = {_NSConcreteStackBlock, 0, 0, invoke, &descriptor};
      struct block *copy = (struct block *)_Block_copy(&block);
      if (!setjmp(place)) ((void (*)(struct block *))copy->invoke)(copy);
      _Block_release(copy);
    }

    int changing(int number) {
      int (^block)(void) = _Block_copy(^{ return number; });
      int result = block();
      _Block_release(block);
      call_opaque(opaque_return);
      call_opaque(opaque_jump);
      call_opaque(opaque_return);
      return result;
    }
    """

  private typealias Work = @Sendable () throws -> Void

  private final class Child {
    let work: Work
    init(_ work: @escaping Work) { self.work = work }
  }

  /// What a child that did some work returned; minus 14 if the work did not end.
  private func child(_ work: @escaping Work) -> Int32 {
    let child = Child(work)
    return unsafe fixture_fork(
      { child in
        guard let child = unsafe child else { return 1 }
        alarm(10)
        let work = unsafe Unmanaged<Child>.fromOpaque(child).takeUnretainedValue().work
        do { for _ in 0..<5 { try work() } } catch { return 2 }
        return 0
      }, Unmanaged.passUnretained(child).toOpaque())
  }

  /// Whether all children end that are forked while two threads do some work, and do it too.
  private func childrenEnd(doing work: @escaping Work) throws -> Bool {
    // The first call makes what is made once.
    try work()
    let (threads, isOver, failures) = (ThreadGroup(), Flag(), Recorder<String>())
    for _ in 0..<2 {
      threads.start {
        do { while !isOver.value.load(ordering: .relaxed) { try work() } } catch {
          failures.record("\(error)")
        }
      }
    }
    // Sanitizers end the children of programs with threads.
    let end = (0..<shortened(60)).allSatisfy { _ in
      isSanitized ? (try? work()) != nil : child(work) == 0
    }
    isOver.value.store(true, ordering: .relaxed)
    threads.wait()
    XCTAssertEqual(failures.entries, [])
    return end
  }

  private final class Flag: Sendable { let value = Atomic(false) }

  /// Other threads of the test process may be inside of the Swift runtime at a fork, whose locks
  /// nobody keeps from a child: one time of two is enough.
  private func expectEnds(_ work: @escaping Work) throws {
    XCTAssertTrue(try childrenEnd(doing: work) || childrenEnd(doing: work))
  }

  func testTheHooksOfABlockAreChanged() throws {
    let original: @convention(block) @Sendable (Int32) -> Int32 = { $0 }
    let block = try Block(original)
    try expectEnds {
      let hook = try block.hook(.before) { _ in }
      _ = original(1)
      _ = block.hooks
      hook.suspend()
      try hook.resume()
      hook.removeAndWait()
    }
  }

  func testBlocksAreHookedAndDie() throws {
    try expectEnds {
      let number = Int32.random(in: 1...9)
      let original: @convention(block) @Sendable () -> Int32 = { number }
      try Block(original).hook([.instead, .death]) { call in
        if call.position == .instead { try call.proceed() }
      }
      _ = original()
    }
  }

  func testABlockIsCalledWhoseHooksHaveNoFrame() throws {
    let original: @convention(block) @Sendable (Int32) -> Int32 = { $0 }
    let block = try Block(original).unframed
    try block.hook([.before, .after]) { _ in }
    try expectEnds {
      let hook = try block.hook(.before) { _ in }
      for _ in 0..<10 { _ = original(1) }
      hook.remove()
    }
  }

  func testEveryBlockIsHookedAndNoMore() throws {
    let client = try client()
    let filter = filter(client)
    // The functions that copy blocks stay hooked: changes of import slots wait for the loader.
    let every = try EveryBlock(matching: filter).hook { try $0.proceed() }
    defer { every.remove() }
    try expectEnds {
      let together = try EveryBlock(matching: filter).hook { try $0.proceed() }
      let single = try EveryBlock(matching: filter).hook([.before, .death]) { _ in }
      _ = client(1)
      together.suspend()
      try together.resume()
      together.removeAndWait()
      _ = client(1)
      single.removeAndWait()
    }
  }

  func testBlocksWithoutASignatureAreTracedAndNoMore() throws {
    let client = try client()
    let filter = filter(client)
    let tracer = Tracer(TraceBuffer(capacity: 100))
    let every = try EveryBlock(matching: filter).install(.tracing(with: tracer))
    defer {
      every.remove()
      tracer.close()
    }
    try expectEnds {
      let other = try EveryBlock(matching: filter).install(.tracing(with: tracer))
      _ = client(1)
      other.remove()
    }
  }

  func testAThreadForksInASectionThatNoForkInterrupts() throws {
    try XCTSkipIf(isSanitized, "sanitizers end the children of programs with threads")
    let start = ContinuousClock.now
    for _ in 0..<2 {
      let status = ForkGate.inside {
        child { if ForkGate.inside({ 1 }) == nil { throw CancellationError() } }
      }
      XCTAssertEqual(status, 0)
    }
    // A fork waits for a second before it goes on without the children's right to hook blocks.
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(1))
    XCTAssertEqual(child { if ForkGate.inside({ 1 }) == nil { throw CancellationError() } }, 0)
  }

  func testWhatCallsOfOtherThreadsUsedIsFreedInTheChild() throws {
    try XCTSkipIf(isSanitized, "sanitizers end the children of programs with threads")
    let tracker = LifetimeTracker()
    let published = PublishedObject(tracker.track())
    let (entered, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let threads = ThreadGroup()
    threads.start {
      published.withObject { _ in
        entered.signal()
        left.wait()
      }
    }
    entered.wait()
    PublishedObject.retire(published.exchange(LifetimeTracker().track()))
    XCTAssertEqual(tracker.alive, 1)
    let other: @convention(block) @Sendable () -> Void = {}
    let block = try Block(other)
    let status = child {
      try block.hook(.before) { _ in }.remove()
      if tracker.alive > 0 { throw CancellationError() }
    }
    XCTAssertEqual(status, 0)
    XCTAssertEqual(tracker.alive, 1)
    left.signal()
    threads.wait()
    XCTAssertEqual(tracker.alive, 0)
  }

  private func filter(_ client: Client) -> BlockFilter {
    var filter = BlockFilter()
    filter.images = .only(client.path)
    return filter
  }

  private func client() throws -> Client {
    let runtime = try XCTUnwrap(
      ImportSlot.all(of: "_Block_copy").compactMap(\.target?.image).first { $0.contains("/lib") })
    let directory = "/" + runtime.split(separator: "/").dropLast().joined(separator: "/")
    let path = try CompiledFiles(self).compile(
      "libchanging.so", ["-shared", "-fPIC", "-fblocks", "-O1"], source: Self.source,
      libraries: ["-L\(directory)", "-lBlocksRuntime", "-Wl,-rpath,\(directory)"])
    return try Client(path, "changing")
  }
}
