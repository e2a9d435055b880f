import BlockABI
import BlockHooks
import BlockRuntimeThreads
import CFixtures
import Foundation
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are compiled here.

/// Makes a block that returns `errno`; not inlined, because a block that is called where it is made
/// may have no memory.
@inline(never)
private func makeErrorReader() -> @convention(block) () -> Int32 { { errno } }

/// What `errno` is after calls: what the function left, whatever the library had to do for it.
final class ErrorNumberTests: XCTestCase {
  /// An object whose end changes `errno`.
  private final class Loud: Sendable {
    deinit { errno = 99 }
  }

  /// A library with a function that sets `errno`, and one that calls it and returns that.
  private func client(_ name: String) throws -> Client {
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "lib\(name).so", ["-shared", "-fPIC"],
      source: """
        #include <errno.h>
        int \(name)_inner(int x) { errno = x; return x; }
        """)
    let path = try files.compile(
      "lib\(name)_client.so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern int \(name)_inner(int x);
        int \(name)_outer(int x) { errno = 1; \(name)_inner(x); return errno; }
        """, libraries: ["-l\(name)"])
    return try Client(path, "\(name)_outer")
  }

  func testTheEndOfACallThatSomebodyAwaitsLeavesIt() throws {
    let outer = try client("awaited")
    let inner = unsafe try ImportedFunction("awaited_inner", signature: "ii")
    for position in [HookPositions.before, .after, .instead] {
      let token = Mutex<Hook?>(nil)
      let loud = Mutex<Loud?>(Loud())
      let hook = try inner.hook(position) { [loud = loud.withLock { $0.take() }] call in
        // The handler and what it captures end with this call.
        token.withLock { $0 }?.remove()
        if call.position == .instead { try call.proceed() }
        withExtendedLifetime(loud) {}
      }
      token.withLock { $0 = hook }
      XCTAssertEqual(outer(7), 7, "\(position)")
      XCTAssertFalse(hook.isInstalled)
    }
  }

  func testAThrownErrorsReportLeavesIt() throws {
    struct Refusal: Error {}
    let outer = try client("thrown")
    let inner = unsafe try ImportedFunction("thrown_inner", signature: "ii")
    for position in [HookPositions.before, .after, .instead] {
      let hook = try inner.hook(position, onError: { _ in errno = 98 }) { _ in throw Refusal() }
      XCTAssertEqual(outer(7), 7, "\(position)")
      hook.remove()
    }
  }

  func testAHandlerReadsAndSetsWhatTheCallerFinds() throws {
    let outer = try client("read")
    let inner = unsafe try ImportedFunction("read_inner", signature: "ii")
    let read = Recorder<Int32>()
    let hooks = [
      try inner.hook { call in
        read.record(call.errno)
        try call.proceed()
        errno = 97
        read.record(call.errno)
      },
      try inner.hook(.after, priority: 1) { call in
        errno = 96
        read.record(call.errno)
        if call.errno == 8 { call.errno = 42 }
        errno = 95
      },
    ]
    XCTAssertEqual(outer(7), 7)
    XCTAssertEqual(read.take(), [1, 7, 7])
    XCTAssertEqual(outer(8), 42)
    for hook in hooks { hook.remove() }
    let refusal = try inner.hook { call in
      call.errno = 13
      errno = 12
      try call.setResult(-1)
    }
    XCTAssertEqual(outer(7), 13)
    refusal.remove()
    let block = try Block(signature: "v@?") { call in call.errno = 14 }
    try block.call()
    XCTAssertEqual(errno, 14)
  }

  func testTheOriginalFindsItsCallers() throws {
    let files = try CompiledFiles(self)
    let functions = ["int found_fixed(int x)", "int found_variadic(int x, ...)"]
    _ = try files.compile(
      "libfound.so", ["-shared", "-fPIC"],
      source: "#include <errno.h>\n"
        + functions.map { "\($0) { return errno; }\n" }.joined())
    let path = try files.compile(
      "libfound_client.so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern \(functions[0]);
        extern \(functions[1]);
        int found_outer(int x) {
          errno = x;
          int fixed = found_fixed(x);
          if (errno != x) return -errno;
          int passed = found_variadic(x, 1.0);
          return errno != x ? -errno : fixed == passed ? fixed : passed + 1000;
        }
        """, libraries: ["-lfound"])
    let outer = try Client(path, "found_outer")
    let positions: [HookPositions] = [.before, .instead, .after, [.before, .after]]
    let all = positions.flatMap { [($0, HookConditions.always), ($0, .times(9))] }
    let imported = try functions.map { unsafe try ImportedFunction(declaration: $0) }
    // One hook, and two of which one runs inside of the other.
    for first in all {
      for second in [nil] + all.map(Optional.some) {
        let hooks = try [first, second].compactMap(\.self).flatMap { positions, conditions in
          try imported.map { function in
            try function.hook(positions, when: conditions) { call in
              errno = 98
              if call.position == .instead {
                if function.symbol == "found_variadic" {
                  _ = try call.variadic.values(as: [Double.self])
                }
                errno = 97
                try call.proceed()
              }
              errno = 96
            }
          }
        }
        XCTAssertEqual(outer(7), 7, "\(first), \(String(describing: second))")
        for hook in hooks { hook.remove() }
      }
    }
  }

  func testAHandlerThatThrowsOrRunsWithinAnotherLeavesIt() throws {
    struct Refusal: Error {}
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "libnested_errno.so", ["-shared", "-fPIC"],
      source: "#include <errno.h>\nint nested_errno_inner(int x) { return errno; }\n")
    let path = try files.compile(
      "libnested_errno_client.so",
      ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern int nested_errno_inner(int x);
        int nested_errno_outer(int x) {
          errno = x;
          int found = nested_errno_inner(x);
          return errno == x ? found : -errno;
        }
        """, libraries: ["-lnested_errno"])
    let outer = try Client(path, "nested_errno_outer")
    let inner = unsafe try ImportedFunction("nested_errno_inner", signature: "ii")
    let refusal = try inner.hook(onError: { _ in errno = 99 }) { _ in
      errno = 98
      throw Refusal()
    }
    XCTAssertEqual(outer(7), 7)
    refusal.remove()
    let read = Recorder<Int32>()
    let hooks = [
      try inner.hook { call in
        errno = 97
        read.record(call.errno)
        try call.proceed()
      },
      try inner.hook(priority: -1) { call in
        read.record(errno)
        try call.setResult(8)
      },
    ]
    XCTAssertEqual(outer(7), 8)
    XCTAssertEqual(read.entries, [7, 7])
    for hook in hooks { hook.remove() }
  }

  func testAnOriginalFindsItsCallersAfterAHandlerOfEveryBlockHasThrown() throws {
    struct Refusal: Error {}
    var filter = BlockFilter()
    filter.symbols = ["*closure * in *makeErrorReader*"]
    for recordsCreation in [false, true] {
      let hook = try EveryBlock(matching: filter, recordsCreation: recordsCreation).hook(
        onError: { _ in errno = 99 }
      ) { _ in
        errno = 98
        throw Refusal()
      }
      let read = makeErrorReader()
      errno = 7
      XCTAssertEqual(read(), 7, "recordsCreation: \(recordsCreation)")
      hook.remove()
    }
  }

  func testAThreadsFirstCallLeavesIt() throws {
    let outer = try client("first")
    let inner = unsafe try ImportedFunction("first_inner", signature: "ii")
    let hook = try inner.hook(.before) { _ in }
    let results = Recorder<Int32>()
    let group = ThreadGroup()
    for _ in 0..<8 { group.start { results.record(outer(7)) } }
    group.wait()
    XCTAssertEqual(Set(results.entries), [7])
    hook.remove()
  }

  /// The fibre on which an original is called, and which it leaves once.
  private enum Moving {
    // SAFETY: one thread after the other uses it.
    nonisolated(unsafe) static var fibre: Fibre?

    static let leave: @convention(c) () -> Void = {
      let left = unsafe fibre
      unsafe fibre = nil
      left?.yield()
    }
  }

  func testACallThatEndsOnAnotherThreadLeavesItThere() throws {
    try XCTSkipIf(isSanitized, "sanitizers know one stack a thread")
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "libmoved.so", ["-shared", "-fPIC"],
      source: """
        #include <errno.h>
        void (*moved_leave)(void);
        int moved_inner(int x) { moved_leave(); errno = x; return x; }
        """)
    let path = try files.compile(
      "libmoved_client.so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern void (*moved_leave)(void);
        extern int moved_inner(int x);
        void *moved_place(void) { return &moved_leave; }
        static int __attribute__((noinline)) left(void) { return errno; }
        int moved_outer(int x) { moved_inner(x); return left(); }
        """, libraries: ["-lmoved"])
    let outer = try Client(path, "moved_outer")
    let handle = unsafe try XCTUnwrap(dlopen(path, RTLD_LAZY))
    let place = unsafe try unsafeBitCast(
      XCTUnwrap(dlsym(handle, "moved_place")),
      to: (@convention(c) () -> UnsafeMutableRawPointer).self)
    unsafe place().storeBytes(of: Moving.leave, as: (@convention(c) () -> Void).self)
    let calls = Atomic(0)
    let inner = unsafe try ImportedFunction("moved_inner", signature: "ii")
    let hook = try inner.hook { call in
      calls.add(1, ordering: .relaxed)
      try call.proceed()
      errno = 99
    }
    let results = Recorder<Int32>()
    Fibre.with(size: 1 << 17, [{ _ in results.record(outer(7)) }]) { fibres in
      unsafe Moving.fibre = fibres[0]
      XCTAssertTrue(fibres[0].resume())
      XCTAssertEqual(outer(5), 5)
      unsafe Moving.fibre = fibres[0]
      let group = ThreadGroup()
      group.start {
        let fibre = unsafe Moving.fibre
        unsafe Moving.fibre = nil
        XCTAssertEqual(outer(6), 6)
        XCTAssertEqual(fibre?.resume(), false)
        XCTAssertEqual(outer(8), 8)
      }
      group.wait()
    }
    XCTAssertEqual(results.entries, [7])
    XCTAssertEqual(outer(9), 9)
    // All calls were hooked: neither thread's calls are ignored afterwards.
    XCTAssertEqual(calls.load(ordering: .relaxed), 5)
    hook.remove()
  }

  func testALockThatOthersHaveLeavesIt() {
    let lock = Locked(0)
    let wrong = Atomic(0)
    let group = ThreadGroup()
    for _ in 0..<4 {
      group.start {
        for number in 0..<50_000 {
          errno = 5
          lock.withLock { $0 += number }
          if errno != 5 { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    group.wait()
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
  }

  func testACallWithoutAFrameLeavesIt() throws {
    let path = try CompiledFiles(self).compile(
      "liberrorblock.so", ["-shared", "-fPIC", "-fblocks"],
      source: """
        #include <errno.h>
        typedef float vector __attribute__((vector_size(16)));
        const void *_NSConcreteGlobalBlock[32] __attribute__((weak));
        static vector (^const block)(vector) = ^(vector x) { errno = errno == 1 ? 7 : 8; return x; };
        const void *errorblock(void) { return block; }
        int errorblock_outer(int x) {
          errno = 1;
          block((vector){x});
          return errno;
        }
        """)
    let outer = try Client(path, "errorblock_outer")
    let make = unsafe try unsafeBitCast(
      XCTUnwrap(dlsym(dlopen(path, RTLD_LAZY), "errorblock")),
      to: (@convention(c) () -> UnsafeRawPointer).self)
    let hook = unsafe try Block(unsafePointer: make()).hook([.before, .after]) { _ in errno = 97 }
    XCTAssertEqual(outer(1), 7)
    hook.remove()
  }
}
