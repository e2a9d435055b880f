#if Everything
import TestSupport
import XCTest

/// Programs in which traced functions are called while memory is being allocated: by an allocator
/// of their own, and by handlers of signals.
final class TracedAllocatorTests: XCTestCase {
  /// Counts the allocations that are made during calls; prints those of each call that has any.
  ///
  /// With the argument `steps`, it calls functions before each instruction of an allocation.
  private static let source = #"""
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
    void __libc_free(void *), *__libc_memalign(size_t, size_t);
    static _Thread_local int is_counting, count;
    static void note(void) { if (is_counting) count++; }
    void *malloc(size_t size) { note(); return __libc_malloc(size); }
    void *calloc(size_t number, size_t size) { note(); return __libc_calloc(number, size); }
    void *realloc(void *old, size_t size) { note(); return __libc_realloc(old, size); }
    void free(void *old) { note(); __libc_free(old); }
    void *memalign(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }
    void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
    int posix_memalign(void **place, size_t alignment, size_t size) {
      *place = memalign(alignment, size);
      return 0;
    }
    #define CALL(...) \
      do { \
        count = 0, is_counting = 1, __VA_ARGS__, is_counting = 0; \
        if (count) dprintf(1, "%d allocations in %s\n", count, #__VA_ARGS__); \
      } while (0)
    static char long_name[300];
    static void *call(void *unused) {
      int file; char byte; void *result; double number;
      CALL(file = open("/dev/null", O_RDWR));
      CALL(write(file, "x", 1));
      CALL(read(file, &byte, 1));
      CALL(close(file));
      CALL(result = getenv("TRACED_VALUE"));
      CALL(result = getenv("TRACED \xFF\n"));
      CALL(result = getenv(long_name));
      CALL(access((const char *)8, 0));
      CALL(access(NULL, 0));
      CALL(rename("/nowhere/a", "/nowhere/b"));
      CALL(number = strtod("1.5", NULL));
      return NULL;
    }
    static volatile long steps, begun;
    static void step(int signal) {
      char byte;
      // The allocator's lock is taken by the time of the first call.
      if (begun++ < 60) return;
      int file = open("/dev/null", O_RDWR);
      if (getenv("TRACED_VALUE") && write(file, "x", 1) == 1 && read(file, &byte, 1) == 0) steps++;
      close(file);
    }
    static void *wait_for_end(void *unused) { return pause(), NULL; }
    #ifdef __x86_64__
    static void trap(void) { __asm__ volatile("pushfq; orq $0x100, (%rsp); popfq"); }
    static void stop(void) { __asm__ volatile("pushfq; andq $-257, (%rsp); popfq"); }
    #else
    static void trap(void) {}
    static void stop(void) {}
    #endif
    int main(int number, char **words) {
      memset(long_name, 'n', sizeof long_name - 1);
      setenv("TRACED_VALUE", "a value", 1);
      alarm(20);
      pthread_t thread;
      if (number > 1) {
        struct sigaction action = {.sa_handler = step};
        sigaction(SIGTRAP, &action, NULL);
        // A process of one thread takes no locks.
        pthread_create(&thread, NULL, wait_for_end, NULL);
        void *kept[4] = {0};
        for (int round = 0; round < 8; round++) {
          trap();
          free(kept[round % 4]);
          kept[round % 4] = malloc(3000 + 5000 * round);
          stop();
        }
        dprintf(1, "%d\n", steps > 200);
        return 0;
      }
      call(NULL);
      for (int round = 0; round < 3; round++) {
        pthread_create(&thread, NULL, call, NULL);
        pthread_join(thread, NULL);
      }
      return 0;
    }
    """#

  private func trace(_ words: [String]) throws -> TracedProgram.Run {
    let names = [
      "open", "write", "read", "close", "getenv", "access", "rename", "strtod=dr*^*",
    ]
    return try TracedProgram(self, c: Self.source, ["-O1", "-fno-builtin"])
      .trace(["--image", "program"] + names.flatMap { ["--function", $0] }, words)
  }

  func testCallsWithNumbersAddressesAndTextAllocateNothingEvenTheFirstOfAThread() throws {
    let run = try trace([])
    XCTAssertEqual(run.outcome.output, "")
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    XCTAssertEqual(run.rows.count, 44)
    XCTAssertEqual(Set(run.rows.map(\.calledBy)), ["call"])
    let rows = run.rows(named: "getenv").prefix(3).map { $0.arguments + [$0.result] }
    XCTAssertEqual(
      rows,
      [
        [#""TRACED_VALUE""#, #""a value""#], [#""TRACED \#u{FFFD}\n""#, "null"],
        ["\"" + String(repeating: "n", count: 256) + "\"…", "null"],
      ])
    XCTAssertEqual(
      run.rows(named: "access").prefix(2).map { $0.arguments[0] }, ["unreadable 0x8", "null"])
    XCTAssertEqual(
      run.rows(named: "rename").first?.arguments, [#""/nowhere/a""#, #""/nowhere/b""#])
  }

  func testASignalsHandlerMayCallTracedFunctionsBeforeEachInstructionOfAnAllocation() throws {
    #if !arch(x86_64)
    throw XCTSkip("a program on AArch64 cannot trap before each of its own instructions")
    #else
    let run = try trace(["steps"])
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    XCTAssertEqual(run.count, 1)
    XCTAssertGreaterThan(run.rows(named: "open").count, 200)
    #endif
  }
}
#endif
