#if Everything
import Foundation
import Glibc
import TestSupport
import XCTest

/// Programs that load libraries whose constructors wait for other threads: while `dlopen` runs them, no
/// thread may ask the loader.
final class TracedLoadingTests: XCTestCase {
  /// Loads a library, and prints what its function `count` returns; the library's constructor may send
  /// a function and wait for it.
  private static let programInC = #"""
    #include <dispatch/dispatch.h>
    #include <dlfcn.h>
    #include <stdio.h>
    void send_and_wait(dispatch_function_t function) {
      dispatch_semaphore_t done = dispatch_semaphore_create(0);
      dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
      int captured = 1;
      dispatch_async(queue, ^{
        dispatch_async_f(queue, 0, function);
        dispatch_async(queue, ^{
          if (captured) dispatch_barrier_async_f(queue, done, (dispatch_function_t)dispatch_semaphore_signal);
        });
      });
      dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    }
    int main(int count, char **words) {
      void *library = dlopen(words[1], RTLD_NOW);
      if (!library) return puts(dlerror());
      printf("%d\n", ((int (*)(void))dlsym(library, "count"))());
      return 0;
    }
    """#

  private static let library = #"""
    #include <dispatch/dispatch.h>
    #include <unistd.h>
    void send_and_wait(dispatch_function_t);
    static int ran;
    static void note(void) { __atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST); }
    static void function(void *context) { note(); }
    __attribute__((constructor)) static void begin(void) {
      dispatch_semaphore_t done = dispatch_semaphore_create(0);
      dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
      int captured = 1;
      dispatch_async(queue, ^{
        note();
        dispatch_async(queue, ^{ if (captured) note(); dispatch_semaphore_signal(done); });
      });
      dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
      send_and_wait(function);
      while (__atomic_load_n(&ran, __ATOMIC_SEQ_CST) < 3) usleep(1000);
    }
    int count(void) { return ran; }
    """#

  private static let programInSwift = #"""
    import Dispatch
    import Glibc

    public typealias Body = @convention(c) () -> Void
    func nap(_ body: @escaping Body) async {
      await Task.detached { body(); try? await Task.sleep(for: .milliseconds(2)) }.value
    }
    @_cdecl("run_and_wait")
    public func runAndWait(_ body: @escaping Body) {
      let done = DispatchSemaphore(value: 0)
      Task {
        async let rest: Void = nap(body)
        await withTaskGroup(of: Void.self) { $0.addTask { body() } }
        await rest
        DispatchQueue.global().async {
          body()
          DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
            let timer = DispatchSource.makeTimerSource()
            timer.setEventHandler { timer.cancel() }
            timer.setCancelHandler { done.signal() }
            timer.schedule(deadline: .now())
            timer.resume()
          }
        }
      }
      done.wait()
    }
    guard let library = dlopen(CommandLine.arguments[1], RTLD_NOW) else { exit(1) }
    print(unsafeBitCast(dlsym(library, "count"), to: (@convention(c) () -> Int32).self)())
    """#

  override func setUpWithError() throws {
    // SAFETY: the name is null-terminated during the call.
    try XCTSkipIf(
      unsafe dlsym(nil, "_dl_find_object") == nil,
      "before 2.35, glibc finds images under the loader's lock only")
  }

  /// Traces the load of a library.
  private func load(
    _ program: TracedProgram, _ source: String, _ options: [String] = []
  ) throws -> TracedProgram.Run {
    let library = try program.library("library.so", c: source)
    let tool = try CommandLineTool.url.path
    let run = try program.trace(options, [library], under: ["timeout", "-k", "5", "120", tool])
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    return run
  }

  func testAConstructorWaitsForBlocksThatRunForTheFirstTime() throws {
    let program = try TracedProgram(self, c: Self.programInC, ["-O1", "-rdynamic"])
    for options in [[], ["--stacks", "8"]] {
      let run = try load(program, Self.library, options)
      XCTAssertEqual(run.count, 3)
      let names = [
        "__begin_block_invoke", "__begin_block_invoke_2", "__send_and_wait_block_invoke",
        "__send_and_wait_block_invoke_2", "function",
      ]
      for name in names { XCTAssertEqual(run.rows(named: name).count, 1, name) }
      XCTAssertEqual(run.rows(named: "function").first?.enqueuedBy, "__send_and_wait_block_invoke")
    }
  }

  func testAConstructorWaitsForTasksThatRunForTheFirstTime() throws {
    let program = try TracedProgram(
      self, swift: Self.programInSwift,
      ["-O", "-swift-version", "5", "-Xlinker", "-export-dynamic"])
    let source = """
      void run_and_wait(void (*)(void));
      static int ran;
      static void note(void) { __atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST); }
      __attribute__((constructor)) static void begin(void) { run_and_wait(note); }
      int count(void) { return ran; }
      """
    // The stack cannot be unwound beyond the load: the tracer makes it look like one by the program.
    for options in [[], ["--stacks", "8"]] {
      let run = try load(program, source, options)
      XCTAssertEqual(run.count, 3)
      let names = Set(run.rows.map(\.shortName))
      let closures = [
        "runAndWait › closure #1", "runAndWait › closure #1 › closure #2",
        "runAndWait › closure #1 › closure #2 › closure #1", "nap › closure #1",
        "dispatch_semaphore_wait",
      ]
      for name in closures { XCTAssertTrue(names.contains(name), "\(name) in \(names)") }
    }
  }

  func testAConstructorMayEndTheThreadThatLoadsIt() throws {
    let program = try TracedProgram(
      self,
      c: #"""
        #include <dlfcn.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static void clean(void *context) { puts("cleaned"); }
        static void *load(void *path) {
          pthread_cleanup_push(clean, NULL);
          dlopen(path, RTLD_NOW);
          pthread_cleanup_pop(0);
          return NULL;
        }
        int main(int count, char **words) {
          pthread_t thread;
          void *result;
          pthread_create(&thread, NULL, load, words[1]);
          pthread_join(thread, &result);
          printf("joined %d\n", (int)(long)result);
          fflush(stdout);
          // The loader's lock is that of the thread that has ended.
          _exit(0);
        }
        """#, ["-O1"])
    let library = try program.library(
      "library.so",
      c: """
        #include <pthread.h>
        __attribute__((constructor)) static void begin(void) { pthread_exit((void *)7); }
        """)
    let outcome = try CommandLineTool.run(
      ["trace", "--quiet", "--function", "puts=i*", "--", program.path, library])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertEqual(outcome.output, "cleaned\njoined 7\n")
  }
}
#endif
