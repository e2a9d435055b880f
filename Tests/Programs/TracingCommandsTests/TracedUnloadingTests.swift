#if Everything
import Foundation
import TestSupport
import XCTest

/// Programs that load a library where another one was before: nothing is called by what was there.
final class TracedUnloadingTests: XCTestCase {
  /// Loads two libraries one after the other, until both were at one address, and prints whether they
  /// were.
  private static let program = #"""
    #include <dispatch/dispatch.h>
    #include <dlfcn.h>
    #include <stdio.h>
    static void nothing(void *context) {}
    static void *run(const char *path, dispatch_queue_t queue) {
      void *library = dlopen(path, RTLD_NOW);
      if (!library) return puts(dlerror()), NULL;
      void (*run)(dispatch_queue_t) = (void (*)(dispatch_queue_t))dlsym(library, "run");
      run(queue);
      // What ran has returned by then.
      dispatch_sync_f(queue, NULL, nothing);
      dlclose(library);
      return run;
    }
    int main(int count, char **words) {
      dispatch_queue_t queue = dispatch_queue_create("unloading", NULL);
      for (int round = 0; round < 20; round++)
        if (run(words[1], queue) == run(words[2], queue)) return puts("1"), 0;
      puts("0");
      return 0;
    }
    """#

  /// Sends a block, functions and a handler to a queue; the symbols differ, and the code does not.
  private static let library = #"""
    #include <dispatch/dispatch.h>
    #define PASTE(name, suffix) name##_##suffix
    #define SYMBOL(name, suffix) PASTE(name, suffix)
    #define NAMED(name) SYMBOL(name, NAME)
    static volatile int sum;
    static dispatch_semaphore_t done;
    void NAMED(function)(void *context) { sum++; }
    void NAMED(handler)(void *source) { dispatch_source_cancel(source); }
    void NAMED(cancelled)(void *source) { dispatch_semaphore_signal(done); }
    // One library calls it as Swift's functions that create tasks are called, which are no callers.
    __attribute__((noinline)) void sender(dispatch_queue_t queue, void *context) __asm__(SENDER);
    void sender(dispatch_queue_t queue, void *context) {
      volatile char frame[200];
      frame[3] = 1;
      dispatch_async_f(queue, context, NAMED(function));
      sum += frame[3];
    }
    __attribute__((noinline)) void NAMED(send)(dispatch_queue_t queue) {
      int captured = 1;
      dispatch_async(queue, ^{ sum += captured; });
      sender(queue, NULL);
      sum++;
    }
    void run(dispatch_queue_t queue) {
      NAMED(send)(queue);
      done = dispatch_semaphore_create(0);
      dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
      dispatch_source_set_event_handler_f(source, NAMED(handler));
      dispatch_source_set_cancel_handler_f(source, NAMED(cancelled));
      dispatch_set_context(source, source);
      dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 1000000000, 0);
      dispatch_resume(source);
      dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
      dispatch_release(source);
      dispatch_release(done);
    }
    """#

  func testCodeIsNotCalledByWhatWasAtItsAddress() throws {
    let program = try TracedProgram(self, c: Self.program)
    let names = [("first", "$sScG7addTask_first"), ("other", "sender_of_the_other")]
    let libraries = try names.map { name, sender in
      try program.library(
        "\(name).so", c: Self.library, ["-O1", "-DNAME=\(name)", "-DSENDER=\"\(sender)\""])
    }
    let run = try program.trace([], libraries)
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    try XCTSkipIf(run.count == 0, "the libraries were never at one address")
    XCTAssertEqual(run.count, 1)
    for (name, sender) in names {
      let blocks = run.rows(named: "__send_\(name)_block_invoke")
      let functions = run.rows(named: "function_\(name)")
      XCTAssertEqual(Set(blocks.map(\.enqueuedBy)), ["send_\(name)"])
      XCTAssertEqual(
        Set(functions.map(\.enqueuedBy)), [sender.hasPrefix("$") ? "send_\(name)" : sender])
      for rows in [blocks, functions] {
        XCTAssertEqual(Set(rows.compactMap(\.image)), [libraries[name == "first" ? 0 : 1]])
      }
      for handler in ["handler", "cancelled"] {
        let rows = run.rows(named: "\(handler)_\(name)")
        XCTAssertEqual(Set(rows.map(\.enqueuedBy)), ["run"], "\(handler) \(name)")
      }
    }
    // Each ran as often as its counterpart did.
    let counts = names.map { name, _ in run.rows.filter { $0.name.contains(name) }.count }
    XCTAssertEqual(counts[0], counts[1])
  }
}
#endif
