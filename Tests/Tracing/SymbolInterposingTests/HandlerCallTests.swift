import BlockABI
import BlockHooks
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are compiled here, or are those of the C library.

/// Handlers whose own calls are hooked, and the callers that they find.
final class HandlerCallTests: XCTestCase {
  func testAHandlersOwnCallsAreHookedOnRequestButThoseOfItsFunction() throws {
    let victims = try Victims(self, "own")
    let (first, second) = (try victims.client("first"), try victims.client("second"))
    let other = try Victims(self, "other")
    let helper = try other.client()
    let log = Recorder<String>()
    var twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    twice.hooksCallsByHandlers = true
    var helped = unsafe try ImportedFunction(other.twice, signature: "ii")
    helped.hooksCallsByHandlers = true
    let hooks = [
      try helped.hook { call in
        log.record("helped by \(call.callers(limit: 1).first?.function?.name ?? "?")")
        // The function whose handler called this one: its handlers do not run again.
        log.record("\(second(7))")
        try call.proceed()
      },
      try twice.hook { call in
        try log.record("inner \(call.argument(0, as: Int32.self))")
        try call.proceed()
      },
      try twice.hook(when: .fromImage(.only(first.path))) { call in
        log.record("outer")
        log.record("\(helper(20))")
        // The function itself: not hooked.
        log.record("\(second(1))")
        try call.proceed()
        log.record("by \(call.callers(limit: 1).first?.function?.name ?? "?")")
      },
    ]
    XCTAssertEqual(first(3), 7)
    XCTAssertEqual(
      log.take(),
      ["outer", "helped by other_client", "15", "41", "3", "inner 3", "by own_first"])
    XCTAssertEqual(second(4), 9)
    XCTAssertEqual(log.take(), ["inner 4"])
    for hook in hooks { hook.remove() }
    XCTAssertEqual(first(3), 7)
    XCTAssertEqual(log.entries, [])
  }

  func testAnOuterHandlersCallsDoNotChangeWhomInnerHooksAdmit() throws {
    let victims = try Victims(self, "admitted")
    let (first, second) = (try victims.client("first"), try victims.client("second"))
    let other = try Victims(self, "between")
    let helper = try other.client()
    let log = Recorder<String>()
    let chosen = unsafe try ImportedFunction(
      victims.twice, signature: "ii", in: .only(first.path))
    var all = unsafe try ImportedFunction(victims.twice, signature: "ii")
    all.hooksCallsByHandlers = true
    let helped = unsafe try ImportedFunction(other.twice, signature: "ii")
    let hooks = [
      try chosen.hook(.before) { _ in log.record("chosen") },
      try helped.hook(.before) { _ in log.record("helped") },
      try all.hook { call in
        _ = helper(1)
        try call.proceed()
      },
    ]
    _ = (first(1), second(1))
    XCTAssertEqual(log.entries, ["helped", "chosen", "helped"])
    for hook in hooks { hook.remove() }
  }

  func testThreadsWhoseHandlersCallTheirOwnFunctionRunOneHandlerACall() throws {
    let victims = try Victims(self, "deep")
    let client = try victims.client()
    let counts = Mutex<[Int32: Int]>([:])
    var twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    twice.hooksCallsByHandlers = true
    let hook = try twice.hook { call in
      let number = try call.argument(0, as: Int32.self)
      counts.withLock { $0[number, default: 0] += 1 }
      _ = client(number + 1000)
      try call.proceed()
    }
    let group = ThreadGroup()
    for thread in Int32(0)..<4 {
      group.start {
        for _ in 0..<500 { if client(thread) != 2 * thread + 1 { XCTFail("\(thread)") } }
      }
    }
    group.wait()
    hook.removeAndWait()
    XCTAssertEqual(counts.withLock { $0 }, [0: 500, 1: 500, 2: 500, 3: 500])
  }

  func testHandlersOfMallocFindTheirCallersOnAllThreads() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for malloc")
    let library = try CompiledFiles(self).compile(
      "libcalling.so", ["-shared", "-fPIC", "-O0", "-fno-builtin"],
      source: """
        #include <stdlib.h>
        static int inner(int size) { free(malloc(size)); return size; }
        int calling(int size) { return inner(size) + 1; }
        """)
    let allocate = try Client(library, "calling")
    let malloc = unsafe try ImportedFunction("malloc", signature: "^vQ")
    let found = Mutex<[[CallSite]: Int]>([:])
    let hook = try malloc.hook(.before) { call in
      let size = try call.argument(0, as: UInt64.self)
      guard size == 4713 else { return }
      let callers = call.callers(limit: 2)
      found.withLock { $0[callers, default: 0] += 1 }
    }
    let group = ThreadGroup()
    for _ in 0..<4 { group.start { for _ in 0..<200 { _ = allocate(4713) } } }
    group.wait()
    hook.removeAndWait()
    let all = found.withLock { $0 }
    XCTAssertEqual(all.values.map { $0 }, [800])
    XCTAssertEqual(all.keys.first?.map { $0.function?.name }, ["inner", "calling"])
  }
}
