#if Everything
import Foundation
import TestSupport
import XCTest

/// Which submission each call of a block is given, where blocks, queues and addresses are used again.
final class TracedSubmissionTests: XCTestCase {
  private static let source = """
    #include <dispatch/dispatch.h>
    #include <pthread.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    void *_Block_copy(const void *);
    void _Block_release(const void *);
    static dispatch_queue_t queue;
    static void iterate(void *context, size_t index) {}
    static void count(void) { static volatile int calls; calls++; }
    static void *wait_often(void *context) {
      for (int call = 0; call < 2000; call++) dispatch_sync(queue, ^{ count(); });
      return NULL;
    }
    static dispatch_semaphore_t reached;
    static void reach(void *context) {
      printf("%ld ", (long)context);
      dispatch_semaphore_signal(reached);
    }
    static void send(dispatch_source_t source) {
      dispatch_source_merge_data(source, 1);
      dispatch_semaphore_wait(reached, DISPATCH_TIME_FOREVER);
    }
    static void contexts(void) {
      dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
      dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, serial);
      reached = dispatch_semaphore_create(0);
      dispatch_set_context(source, (void *)1);
      dispatch_source_set_event_handler_f(source, reach);
      dispatch_source_set_cancel_handler_f(source, reach);
      dispatch_set_context(source, (void *)2);
      dispatch_resume(source);
      send(source);
      dispatch_set_context(source, (void *)3);
      send(source);
      dispatch_source_set_event_handler_f(source, reach);
      dispatch_sync(serial, ^{});
      send(source);
      dispatch_set_context(source, (void *)4);
      dispatch_source_cancel(source);
      dispatch_semaphore_wait(reached, DISPATCH_TIME_FOREVER);
    }
    static void handlers(void) {
      for (int round = 0; round < 100; round++) {
        dispatch_source_t source =
          dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
        dispatch_semaphore_t end = dispatch_semaphore_create(0);
        void (^handler)(void) =
          (__typeof__(handler))_Block_copy(^{ if (round >= 0) dispatch_source_cancel(source); });
        void *address = (void *)handler;
        dispatch_source_set_event_handler(source, handler);
        dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(end); });
        _Block_release(handler);
        dispatch_resume(source);
        dispatch_source_merge_data(source, 1);
        dispatch_semaphore_wait(end, DISPATCH_TIME_FOREVER);
        dispatch_release(source);
        usleep(200);
        dispatch_sync(queue, ^{
          void (^other)(void) = (__typeof__(other))_Block_copy(^{ if (round >= 0 && end) count(); });
          if ((void *)other == address) printf("again\\n");
          other();
          _Block_release(other);
        });
      }
    }
    __attribute__((noinline)) dispatch_source_t set_first(dispatch_queue_t serial) {
      dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, serial);
      dispatch_source_set_event_handler_f(source, reach);
      dispatch_resume(source);
      return source;
    }
    __attribute__((noinline)) void set_other(dispatch_queue_t serial) {
      dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, serial);
      dispatch_source_set_event_handler_f(source, reach);
      dispatch_resume(source);
    }
    static void queues(void) {
      reached = dispatch_semaphore_create(0);
      dispatch_queue_t first = dispatch_queue_create("com.example.first", NULL);
      dispatch_source_t source = set_first(first);
      // One of the queues has the first one's number but for bits that a short number loses.
      for (int count = 0; count < 8180; count++) dispatch_queue_create("com.example.other", NULL);
      for (int count = 0; count < 24; count++)
        set_other(dispatch_queue_create("com.example.other", NULL));
      send(source);
      // Until the handler has returned.
      dispatch_sync(first, ^{ count(); });
    }
    int main(int argc, char **words) {
      const char *way = words[1];
      queue = dispatch_queue_create("com.example.queue", DISPATCH_QUEUE_CONCURRENT);
      if (!strcmp(way, "endless"))
        dispatch_apply(SIZE_MAX, queue, ^(size_t index) { exit(7); });
      if (!strcmp(way, "none")) {
        dispatch_apply(0, queue, ^(size_t index) { count(); });
        dispatch_apply_f(0, queue, NULL, iterate);
        dispatch_apply(2, queue, ^(size_t index) { count(); });
      }
      if (!strcmp(way, "channels"))
        for (int round = 0; round < 2000; round++) {
          dispatch_release(dispatch_queue_create("com.example.gone", NULL));
          dispatch_io_t channel = dispatch_io_create(DISPATCH_IO_STREAM, dup(1), queue, ^(int error) {});
          dispatch_set_target_queue(channel, queue);
          dispatch_io_close(channel, 0);
          dispatch_release(channel);
          if (round % 100 == 0) usleep(1000);
        }
      if (!strcmp(way, "threads")) {
        pthread_t threads[4];
        for (int index = 0; index < 4; index++)
          pthread_create(&threads[index], NULL, wait_often, NULL);
        for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
      }
      if (!strcmp(way, "handlers")) handlers();
      if (!strcmp(way, "contexts")) contexts();
      if (!strcmp(way, "queues")) queues();
      if (!strcmp(way, "cancelled")) {
        dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
        dispatch_block_t inner = ^{ count(); };
        dispatch_block_t first = dispatch_block_create(0, inner);
        dispatch_block_t second = dispatch_block_create(0, inner);
        dispatch_suspend(serial);
        dispatch_async(serial, first);
        dispatch_async(serial, second);
        dispatch_async(serial, first);
        dispatch_block_cancel(first);
        dispatch_resume(serial);
        dispatch_sync(serial, ^{});
      }
      if (!strcmp(way, "many")) {
        dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
        dispatch_suspend(serial);
        for (int call = 0; call < 20000; call++) dispatch_async(serial, ^{ count(); });
        dispatch_resume(serial);
        dispatch_sync(serial, ^{});
      }
      return 4;
    }
    """

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
  }

  private func compile(_ files: CompiledFiles) throws -> String {
    let tools = URL(fileURLWithPath: try Compiler().path).deletingLastPathComponent()
    let include = tools.deletingLastPathComponent().appendingPathComponent("lib/swift").path
    return try files.compile(
      "victim", ["-fblocks", "-I", include], source: Self.source,
      libraries: [
        "-L", "\(include)/linux", "-ldispatch", "-lBlocksRuntime", "-lpthread",
        "-Wl,-rpath,\(include)/linux",
      ])
  }

  private func trace(_ way: String) throws -> (CommandLineTool.Outcome, [[String: Any]]) {
    let files = try CompiledFiles(self)
    let program = try compile(files)
    let file = "\(files.directory)/calls.jsonl"
    let outcome = try CommandLineTool.run(
      ["trace", "--quiet", "--json", file, "--", program, way])
    let calls = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      try CommandLineTool.document(String($0))
    }
    return (outcome, calls)
  }

  private func outcomes(_ calls: [[String: Any]]) -> [String] {
    calls.filter { $0["kind"] as? String == "call" }.compactMap { $0["outcome"] as? String }
  }

  func testTheLargestNumberOfIterationsIsTraced() throws {
    let (outcome, _) = try trace("endless")
    XCTAssertEqual(outcome.status, 7, outcome.errors)
  }

  func testBlocksThatAreNotCalledDoNotWait() throws {
    let (outcome, calls) = try trace("none")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    XCTAssertEqual(outcomes(calls), ["returned", "returned"])
  }

  func testObjectsWhereQueuesWereAreNotReadAsQueues() throws {
    XCTAssertEqual(try trace("channels").0.status, 4)
  }

  func testAThreadThatWaitsForABlockThatOthersSendTooIsGivenItsOwn() throws {
    let (outcome, calls) = try trace("threads")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    func number(_ call: [String: Any], _ key: String) -> Int { call[key] as? Int ?? -1 }
    let begins = Set(
      calls.filter { $0["kind"] as? String == "call" }.map {
        [number($0, "thread"), number($0, "start")]
      })
    let waits = calls.filter { $0["kind"] as? String == "wait" }
    XCTAssertEqual(waits.count, 8000)
    for wait in waits {
      let end = number(wait, "start") + number(wait, "duration")
      XCTAssertTrue(begins.contains([number(wait, "thread"), end]))
    }
  }

  func testABlockWhereAHandlerWasIsNotThatHandler() throws {
    let (outcome, calls) = try trace("handlers")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    XCTAssertTrue(outcome.output.contains("again"))
    let others = calls.filter { $0["name"] as? String == "__handlers_block_invoke_4" }
    XCTAssertEqual(others.count, 100)
    for call in others { XCTAssertTrue(call["sentTo"] is NSNull) }
  }

  func testHandlersGetTheContextThatTheyWouldGet() throws {
    let (outcome, calls) = try trace("contexts")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    // The context of an event handler is the one at its activation.
    XCTAssertEqual(outcome.output, "2 2 3 4 ")
    let handlers = calls.filter { $0["name"] as? String == "reach" }
    XCTAssertEqual(handlers.count, 4)
    for call in handlers { XCTAssertEqual(call["enqueuedBy"] as? String, "contexts") }
  }

  func testHandlersOfQueuesWhoseNumbersAreFarApartAreToldApart() throws {
    let (outcome, calls) = try trace("queues")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    let handler = calls.filter {
      $0["name"] as? String == "reach" && $0["outcome"] as? String == "returned"
    }
    XCTAssertEqual(handler.map { $0["enqueuedBy"] as? String }, ["set_first"])
  }

  func testOnlyTheBlocksAroundABlockThatAreCancelledAre() throws {
    let (outcome, calls) = try trace("cancelled")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    XCTAssertEqual(outcomes(calls), ["cancelled", "cancelled", "returned", "returned"])
    for call in calls { XCTAssertFalse(call["sentTo"] is NSNull) }
  }

  func testManySubmissionsOfOneBlockAreMatchedInTheirOrder() throws {
    let start = Date()
    let (outcome, calls) = try trace("many")
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    let times = calls.filter { $0["name"] as? String == "__main_block_invoke_7" }
      .compactMap { $0["enqueued"] as? Int }
    XCTAssertEqual(times.count, 20000, "\(Set(calls.compactMap { $0["name"] as? String }))")
    XCTAssertEqual(times, times.sorted())
    // What grows with the square of their number takes more than a minute.
    XCTAssertLessThan(Date().timeIntervalSince(start), isEmulated ? 400 : 40)
  }

  func testTheStackOfASenderInABlockHasNoneOfTheTracersOwnFunctions() throws {
    let source = #"""
      #include <dispatch/dispatch.h>
      static dispatch_queue_t queue;
      __attribute__((noinline)) static void send(void) {
        dispatch_async(queue, ^{});
        __asm__ volatile("");
      }
      __attribute__((noinline)) static void outer(void) {
        dispatch_sync(dispatch_queue_create("outer", NULL), ^{ send(); __asm__ volatile(""); });
        __asm__ volatile("");
      }
      int main(void) {
        queue = dispatch_queue_create("queue", NULL);
        outer();
        dispatch_sync(queue, ^{});
        return 0;
      }
      """#
    let run = try TracedProgram(self, c: source, ["-O1"]).trace(["--stacks", "8"])
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    let stack = try XCTUnwrap(run.rows(named: "__send_block_invoke").first?.stack)
    XCTAssertEqual(stack.first, "send")
    XCTAssertTrue(stack.contains("outer"), "\(stack)")
    XCTAssertTrue(stack.contains("main"), "\(stack)")
    let own = stack.filter {
      $0.hasPrefix("cbr_") || $0.hasPrefix("Tracer") || $0.hasPrefix("Hook")
    }
    XCTAssertEqual(own, [], "\(stack)")
  }
}
#endif
