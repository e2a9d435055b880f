import BlockHooks
import CallTracing
import Foundation
import Invocations
import QueueTracing
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// The caller that a trace names, behind libraries that are left out, is the one that `backtrace` finds.
final class SubmissionCallerTests: XCTestCase {
  /// What all libraries know: a way through functions to the one that sends.
  private static let header = """
    typedef struct path {
      int index, count;
      void (*steps[4])(struct path *);
      void (*send)(struct path *);
      long size, number;
      void *queue, *addresses[32];
      int found;
    } path;
    static inline void go_on(path *path) {
      if (path->index == path->count) path->send(path);
      else path->steps[path->index++](path);
    }

    """

  /// A library that is left out, named as one of Foundation's.
  private static func passing(_ name: String) -> String {
    header + """
      extern int backtrace(void **addresses, int count);
      extern void dispatch_async_f(void *queue, void *context, void (*function)(void *));
      extern void callers_function(void *number);
      void \(name)_plain(path *path) {
        volatile long kept[3] = {path->size, 1, 2};
      #if defined(__x86_64__) && defined(KEEPS_NO_FRAME)
        // Such code may use the register for anything.
        __asm__ volatile("xorl %%ebp, %%ebp" ::: "rbp");
      #endif
        go_on(path);
        kept[0]++;
      }
      // Its frame has a size of its own each time.
      void \(name)_sized(path *path) {
        volatile char room[path->size];
        room[0] = 1;
        go_on(path);
        room[path->size - 1] = 2;
      }
      void \(name)_send(path *path) {
        path->found = backtrace(path->addresses, 32);
        dispatch_async_f(path->queue, (void *)path->number, callers_function);
        __asm__ volatile("" ::: "memory");
      }
      """
  }

  private static let client =
    header + """
      #include <dlfcn.h>
      #include <string.h>
      extern void *dispatch_queue_create(const char *label, void *attributes);
      extern void dispatch_sync_f(void *queue, void *context, void (*function)(void *));
      extern void framed_plain(path *), framed_sized(path *), framed_send(path *);
      extern void frameless_plain(path *), frameless_sized(path *), frameless_send(path *);
      void callers_function(void *number) {}
      static void *expected[1024];
      void *callers_expected(long number) { return expected[number]; }
      __attribute__((noinline)) static void note(path *path) {
        for (int index = 0; index < path->found; index++) {
          Dl_info found;
          if (!dladdr((char *)path->addresses[index] - 1, &found)) continue;
          if (!strstr(found.dli_fname, "libcallers_client")) continue;
          expected[path->number] = path->addresses[index];
          return;
        }
      }
      // Code that has no frame pointer may keep anything in its register.
      __attribute__((noinline)) static long send(path *path) {
        long sum = path->size;
        go_on(path);
        return sum + path->number;
      }
      long callers_run(void) {
        void *queue = dispatch_queue_create("callers", 0);
        void (*steps[])(path *) = {framed_plain, framed_sized, frameless_plain, frameless_sized};
        long number = 0;
        for (int round = 0; round < 3; round++) {
          for (int way = 0; way < 128; way++) {
            path path = {.count = 3, .size = 16 + 48 * ((way * 7 + round * 5) % 11), .queue = queue};
            for (int index = 0; index < 3; index++) path.steps[index] = steps[way >> (2 * index) & 3];
            path.send = way & 64 ? framed_send : frameless_send;
            path.number = ++number;
            send(&path);
            note(&path);
          }
        }
        dispatch_sync_f(queue, 0, callers_function);
        return number;
      }
      """

  private func check(_ clientOptions: [String]) throws {
    let files = try CompiledFiles(self)
    let libraries = [
      ("libFoundationEssentials.so", "framed", "-fno-omit-frame-pointer"),
      ("libFoundationInternationalization.so", "frameless", "-fomit-frame-pointer"),
    ]
    for (file, name, option) in libraries {
      // The client defines what they call.
      _ = try files.compile(
        file,
        ["-shared", "-fPIC", "-O1", option] + (name == "frameless" ? ["-DKEEPS_NO_FRAME"] : []),
        source: Self.passing(name))
    }
    let path = try files.compile(
      "libcallers_client.so",
      ["-shared", "-fPIC", "-O1", "-D_GNU_SOURCE"] + clientOptions, source: Self.client,
      libraries: libraries.map { "\(files.directory)/\($0.0)" })
    let directory = "\(files.directory)/streams"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let tracer = Tracer(try TraceStreamWriter(directory: directory, capacity: 1 << 20))
    let stream = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: directory).first)
    let reader = try TraceStreamReader(path: "\(directory)/\(stream)")
    let library = try LoadedLibrary(path)
    let trace = try XCTUnwrap(try QueueTrace.begin(with: tracer))
    defer { trace.remove() }
    let run = unsafe try unsafeBitCast(
      library.address(of: "callers_run"), to: (@convention(c) () -> Int).self)
    let expected = unsafe try unsafeBitCast(
      library.address(of: "callers_expected"), to: (@convention(c) (Int) -> UInt).self)
    let count = run()
    XCTAssertEqual(count, 384)
    var records: [TraceRecord] = []
    _ = try reader.read(into: &records)
    let calls = records.filter { $0.subject.name == "callers_function" }
    var seen: Set<Int> = []
    for call in calls {
      let digits = call.arguments.first?.split(separator: "x").last ?? ""
      let number = Int(digits, radix: 16) ?? 0
      // The last is sent by the client itself.
      guard number > 0 else { continue }
      seen.insert(number)
      let caller = try XCTUnwrap(call.submission?.callers.first, "\(number)")
      XCTAssertEqual(caller.address, expected(number), "way \(number): \(caller)")
      XCTAssertTrue(caller.image?.hasSuffix("/libcallers_client.so") == true, "\(caller)")
    }
    XCTAssertEqual(seen.count, count)
  }

  func testTheCallerIsFoundBehindEveryKindOfFrame() throws {
    try check(["-fno-omit-frame-pointer"])
    try check(["-fomit-frame-pointer"])
  }
}
