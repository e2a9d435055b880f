import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: the library is compiled here, so its functions are known.

/// Blocks that clang compiled, given to every function that takes blocks.
final class EveryClangBlockTests: XCTestCase {
  private static let source = """
    #include <stddef.h>
    typedef void *queue_t;
    extern queue_t dispatch_queue_create(const char *label, void *attributes);
    extern void dispatch_release(void *object);
    extern void dispatch_sync(queue_t queue, void (^block)(void));
    extern void keepless_sync(queue_t queue, __attribute__((noescape)) void (^block)(void))
        __asm__("dispatch_sync");
    extern void dispatch_async(queue_t queue, void (^block)(void));
    extern void dispatch_barrier_sync(queue_t queue, void (^block)(void));
    extern void dispatch_async_and_wait(queue_t queue, void (^block)(void));
    extern void dispatch_barrier_async_and_wait(queue_t queue, void (^block)(void));
    extern void dispatch_apply(size_t count, queue_t queue, void (^block)(size_t));
    extern void dispatch_once(long *predicate, void (^block)(void));
    extern void dispatch_block_perform(unsigned long flags, void (^block)(void));
    extern void *dispatch_block_create(unsigned long flags, void (^block)(void));
    extern void *dispatch_group_create(void);
    extern void dispatch_group_async(void *group, queue_t queue, void (^block)(void));
    extern void dispatch_group_notify(void *group, queue_t queue, void (^block)(void));
    extern void dispatch_after(unsigned long when, queue_t queue, void (^block)(void));
    extern void *dispatch_semaphore_create(long value);
    extern long dispatch_semaphore_wait(void *semaphore, unsigned long timeout);
    extern long dispatch_semaphore_signal(void *semaphore);
    extern const struct type { int unused; } _dispatch_source_type_timer;
    extern void *dispatch_source_create(const struct type *type, unsigned long handle,
                                        unsigned long mask, queue_t queue);
    extern void dispatch_source_set_event_handler(void *source, void (^block)(void));
    extern void dispatch_source_set_cancel_handler(void *source, void (^block)(void));
    extern void dispatch_source_set_timer(void *source, unsigned long start, unsigned long interval,
                                          unsigned long leeway);
    extern void dispatch_source_cancel(void *source);
    extern void dispatch_resume(void *object);
    extern const void *_Block_copy(const void *);
    extern void _Block_release(const void *);

    static int calls;
    static queue_t queue;
    void (^clangs_global)(void) = ^{ calls++; };

    int clangs(int way) {
      int number = way;
      int *place = &calls;
      calls = 0;
      long once = 0;
      if (!queue) queue = dispatch_queue_create("clang's queue", NULL);
      void (^block)(void) = ^{ *place += number > 0 ? 1 : 2; };
      switch (way) {
      case 1: dispatch_sync(queue, block); break;
      case 2: dispatch_async(queue, block); dispatch_sync(queue, clangs_global); break;
      case 3: dispatch_barrier_sync(queue, block); break;
      case 4: dispatch_async_and_wait(queue, block); break;
      case 5: dispatch_barrier_async_and_wait(queue, block); break;
      case 6: dispatch_apply(5, queue, ^(size_t index) { __atomic_fetch_add(place, 1, 5); }); break;
      case 7: dispatch_once(&once, block); break;
      case 8: dispatch_block_perform(0, block); break;
      case 9: clangs_global(); dispatch_sync(queue, clangs_global); break;
      case 10: {
        // The inner block is copied by code inlined in _Block_object_assign.
        void (^outer)(void) = ^{ block(); };
        void (^copy)(void) = _Block_copy(outer);
        copy();
        _Block_release(copy);
        break;
      }
      case 11: {
        void (^made)(void) = dispatch_block_create(0, block);
        dispatch_async(queue, made);
        dispatch_sync(queue, ^{});
        _Block_release(made);
        break;
      }
      case 13: {
        void *group = dispatch_group_create();
        dispatch_group_async(group, queue, block);
        dispatch_sync(queue, ^{});
        dispatch_group_notify(group, queue, block);
        dispatch_sync(queue, ^{});
        dispatch_release(group);
        break;
      }
      case 14: {
        void *done = dispatch_semaphore_create(0);
        dispatch_after(0, queue, ^{ *place += 1; dispatch_semaphore_signal(done); });
        dispatch_semaphore_wait(done, ~0ul);
        void *timer = dispatch_source_create(&_dispatch_source_type_timer, 0, 0, queue);
        dispatch_source_set_event_handler(timer, ^{
          *place += 1;
          dispatch_source_cancel(timer);
        });
        dispatch_source_set_cancel_handler(timer, ^{ *place += 1; dispatch_semaphore_signal(done); });
        dispatch_source_set_timer(timer, 0, ~0ul, 0);
        dispatch_resume(timer);
        dispatch_semaphore_wait(done, ~0ul);
        dispatch_release(timer);
        break;
      }
      // On the stack, though clang marks it as global.
      case 12: keepless_sync(queue, ^{ *place += number > 0 ? 1 : 2; }); break;
      }
      return calls;
    }
    """

  /// Compiles and loads them.
  private func clangs() throws -> Client {
    let files = try CompiledFiles(self)
    let runtime = try XCTUnwrap(
      ImportSlot.all(of: "_Block_copy").compactMap(\.target?.image).first { $0.contains("/lib") })
    let directory = runtime.split(separator: "/").dropLast().joined(separator: "/")
    let path = try files.compile(
      "libclangs.so", ["-shared", "-fPIC", "-fblocks", "-O1"], source: Self.source,
      libraries: ["-L/\(directory)", "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,/\(directory)"])
    return try Client(path, "clangs")
  }

  private func blocks(of client: Client) -> BlockFilter {
    var filter = BlockFilter()
    filter.images = .only(client.path)
    filter.symbols = ["*_block_invoke*"]
    return filter
  }

  func testBlocksAreHookedWhicheverFunctionTheyPass() throws {
    let run = try clangs()
    let seen = Mutex<[String]>([])
    let every = try EveryBlock(matching: blocks(of: run)).hook { call in
      seen.withLock { $0.append(call.signature.description) }
      try call.proceed()
    }
    // How often the blocks are called, and how often handlers see it.
    let expected: [Int32: (calls: Int32, seen: Int)] = [
      1: (1, 1), 2: (2, 2), 3: (1, 1), 4: (1, 1), 5: (1, 1), 6: (5, 5), 7: (1, 1), 8: (1, 1),
      9: (2, 2), 10: (1, 2), 11: (1, 2), 13: (2, 4), 14: (3, 3), 12: (1, 1),
    ]
    for (way, expected) in expected.sorted(by: { $0.key < $1.key }) {
      seen.withLock { $0 = [] }
      XCTAssertEqual(run(way), expected.calls, "way \(way)")
      XCTAssertEqual(seen.withLock { $0.count }, expected.seen, "way \(way)")
    }
    every.remove()
    seen.withLock { $0 = [] }
    for (way, expected) in expected { XCTAssertEqual(run(way), expected.calls, "way \(way)") }
    XCTAssertEqual(seen.withLock { $0 }, [])
  }

  func testABlockThatItsCalleeDoesNotKeepIsNotHookedAlone() throws {
    let run = try clangs()
    let seen = Atomic(0)
    let every = try EveryBlock(matching: blocks(of: run)).hook([.before, .death]) { _ in
      seen.add(1, ordering: .relaxed)
    }
    for _ in 1...3 { XCTAssertEqual(run(12), 1) }
    every.remove()
    XCTAssertEqual(seen.load(ordering: .relaxed), 0)
  }
}
