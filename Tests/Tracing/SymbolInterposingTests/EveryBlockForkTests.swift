import BlockABI
import BlockHooks
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

/// Forks of a process whose threads make blocks.
final class EveryBlockForkTests: XCTestCase {
  func testAForkedChildMakesBlocksThatAreHooked() throws {
    try XCTSkipIf(isSanitized, "sanitizers end the children of programs with threads")
    let path = try CompiledFiles(self).compile(
      "libforking.so", ["-shared", "-fPIC", "-fblocks", "-O1"],
      source: """
        #include <poll.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdbool.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern const void *_Block_copy(const void *);
        extern void _Block_release(const void *);

        static _Atomic bool is_over;
        static int make(int number) {
          int (^block)(void) = _Block_copy(^{ return number; });
          int result = block();
          _Block_release(block);
          return result;
        }
        static void *make_many(void *context) {
          while (!is_over) make(1);
          return NULL;
        }
        static bool child_ends(void) {
          int ends[2], status = 1;
          if (pipe(ends) != 0) return false;
          pid_t child = fork();
          if (child == 0) _exit(make(3) - 1003);
          close(ends[1]);
          struct pollfd end = {.fd = ends[0]};
          if (poll(&end, 1, 10000) != 1) kill(child, SIGKILL);
          close(ends[0]);
          return waitpid(child, &status, 0) == child && status == 0;
        }
        // How many children end, and have their blocks hooked.
        int forking(int count) {
          pthread_t threads[3];
          is_over = false;
          for (int index = 0; index < 3; index++)
            pthread_create(&threads[index], NULL, make_many, NULL);
          int ended = 0;
          // After one that does not, the others are not waited for.
          while (ended < count && child_ends()) ended++;
          is_over = true;
          for (int index = 0; index < 3; index++) pthread_join(threads[index], NULL);
          return ended;
        }
        """,
      libraries: try blocksRuntime)
    let run = try Client(path, "forking")
    let every = try addThousand(path)
    // Other threads of the test process may be inside of the Swift runtime at a fork, whose locks
    // nobody keeps from a child.
    XCTAssertTrue((0..<3).contains { _ in run(50) == 50 })
    every.remove()
  }

  /// A handler of forks that was registered before the library's own runs after that, when the gate
  /// of forks is closed to other threads.
  func testBlocksAreHookedWhileTheirThreadForks() throws {
    try XCTSkipIf(isSanitized, "sanitizers end the children of programs with threads")
    let path = try CompiledFiles(self).compile(
      "libatfork.so", ["-shared", "-fPIC", "-fblocks", "-O1"],
      source: """
        #include <pthread.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern const void *_Block_copy(const void *);
        extern void _Block_release(const void *);

        static int known, unknown;
        static int call_copy(int (^block)(void)) {
          int (^copy)(void) = _Block_copy(block);
          int result = copy();
          _Block_release(copy);
          return result;
        }
        static int make_known(int number) { return call_copy(^{ return number; }); }
        static int make_unknown(int number) { return call_copy(^{ return number + 2; }); }
        static void before_fork(void) {
          known = make_known(1);
          unknown = make_unknown(1);
        }
        int register_handler(int unused) { return pthread_atfork(before_fork, NULL, NULL); }
        int call_known(int number) { return make_known(number); }
        int call_unknown(int number) { return make_unknown(number); }
        // What the blocks of the handler returned.
        int fork_once(int factor) {
          pid_t child = fork();
          if (child == 0) _exit(0);
          waitpid(child, NULL, 0);
          return known * factor + unknown;
        }
        """,
      libraries: try blocksRuntime)
    XCTAssertEqual(try Client(path, "register_handler")(0), 0)
    let every = try addThousand(path)
    XCTAssertEqual(try Client(path, "call_known")(5), 1005)
    XCTAssertEqual(try Client(path, "fork_once")(10_000), 1001 * 10_000 + 1003)
    every.remove()
  }

  /// Arguments of the compiler for files that call the blocks runtime.
  private var blocksRuntime: [String] {
    get throws {
      let runtime = try XCTUnwrap(
        ImportSlot.all(of: "_Block_copy").compactMap(\.target?.image).first { $0.contains("/lib") })
      let directory = "/" + runtime.split(separator: "/").dropLast().joined(separator: "/")
      return ["-L\(directory)", "-lBlocksRuntime", "-lpthread", "-Wl,-rpath,\(directory)"]
    }
  }

  /// Hooks all blocks of a library, so that their results are greater by 1,000.
  private func addThousand(_ path: String) throws -> Hook {
    var filter = BlockFilter()
    filter.images = .only(path)
    return try EveryBlock(matching: filter).hook { call in
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) + 1000)
    }
  }
}
