import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are those of the C library, or are compiled here.

/// Hooks of functions that the library, its handlers and every thread use themselves.
final class InterposedCallTests: XCTestCase {
  /// A function that allocates and frees so many bytes.
  private func allocator(_ name: String) throws -> Client {
    let library = try CompiledFiles(self).compile(
      "lib\(name).so", ["-shared", "-fPIC", "-O0", "-fno-builtin"],
      source: """
        #include <stdlib.h>
        int \(name)(int size) { free(malloc(size)); return size; }
        """)
    return try Client(library, name)
  }

  func testMallocCanBeHookedByAHandlerThatAllocates() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for malloc")
    let allocate = try allocator("allocating")
    let malloc = unsafe try ImportedFunction("malloc", signature: "^vQ")
    let counts = Mutex<[UInt64: Int]>([:])
    let hook = try malloc.hook(.before) { call in
      let size = try call.argument(0, as: UInt64.self)
      let text = (0..<20).map { "\($0) \(size)" }.joined()
      counts.withLock { $0[size, default: 0] += text.isEmpty ? 0 : 1 }
    }
    let group = ThreadGroup()
    for _ in 0..<100 { _ = allocate(4711) }
    for _ in 0..<4 {
      group.start { for _ in 0..<100 { _ = allocate(4712) } }
    }
    group.wait()
    hook.removeAndWait()
    _ = allocate(4711)
    XCTAssertEqual(counts.withLock { $0[4711] }, 100)
    XCTAssertEqual(counts.withLock { $0[4712] }, 400)
  }

  func testFunctionsThatThreadsBeginWithCanBeHooked() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for malloc")
    let functions: [(String, String)] = [
      ("calloc", "^vQQ"), ("pthread_mutex_lock", "i^v"), ("pthread_setspecific", "iIr^v"),
      ("free", "v^v"), ("malloc", "^vQ"), ("realloc", "^v^vQ"),
    ]
    let allocate = try allocator("beginning")
    let count = Atomic(0)
    let hooks = try functions.map { symbol, signature in
      unsafe try ImportedFunction(symbol, signature: signature).hook { call in
        count.add(1, ordering: .relaxed)
        try call.proceed()
      }
    }
    for round in 0..<20 {
      let group = ThreadGroup()
      for _ in 0..<4 {
        group.start { for size in 1...50 { _ = allocate(Int32(size)) } }
      }
      group.wait()
      if round == 10 { hooks[0].remove() }
    }
    for hook in hooks { hook.removeAndWait() }
    XCTAssertGreaterThanOrEqual(count.load(ordering: .relaxed), 20 * 4 * 50 * 2)
  }

  func testWhatAHandlerCallsIsNotHookedAndWhatTheFunctionCallsIs() throws {
    let victims = try Victims(self, "inner")
    let client = try victims.client()
    let wrapper = try victims.files.compile(
      "libinner_outer.so",
      ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(victims.files.directory)"],
      source: """
        extern int inner_client(int x);
        int inner_outer(int x) { return inner_client(x); }
        """, libraries: ["-l:libinner_client.so"])
    let outer = try Client(wrapper, "inner_outer")
    let log = Mutex<[String]>([])
    let twice = unsafe try ImportedFunction("inner_twice", signature: "ii")
    let inner = unsafe try ImportedFunction("inner_client", signature: "ii")
    let hooks = [
      try twice.hook(.before) { _ in log.withLock { $0.append("twice") } },
      try inner.hook { call in
        log.withLock { $0.append("client") }
        // On this thread, from a handler: not hooked.
        _ = client(5)
        try call.proceed()
        log.withLock { $0.append("proceeded") }
      },
    ]
    XCTAssertEqual(outer(1), 3)
    XCTAssertEqual(log.withLock { $0 }, ["client", "twice", "proceeded"])
    for hook in hooks { hook.remove() }
  }

  func testGetenvPrintsItsArguments() throws {
    let getenv = unsafe try ImportedFunction("getenv", signature: "r*r*")
    let lines = Mutex<[String]>([])
    let hook = try getenv.hook { call in
      try call.proceed()
      lines.withLock { $0.append("\(call.arguments) = \(call.resultText ?? "")") }
    }
    unsafe setenv("BLOCKRUNTIME_TEST", "value", 1)
    _ = unsafe Glibc.getenv("BLOCKRUNTIME_TEST")
    hook.remove()
    XCTAssertEqual(lines.withLock { $0 }.filter { $0.contains("BLOCKRUNTIME_TEST") }.count, 1)
    XCTAssertTrue(
      lines.withLock { $0 }.contains { $0.hasSuffix(#"= "value""#) }, "\(lines.withLock { $0 })")
  }

  func testHooksComeAndGoWhileAllThreadsCall() throws {
    let victims = try Victims(self, "busy")
    let client = try victims.client("client", ["-Wl,-z,lazy"])
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let isOver = Atomic(false)
    let wrong = Atomic(0)
    let group = ThreadGroup()
    for _ in 0..<3 {
      group.start {
        while !isOver.load(ordering: .relaxed) {
          let result = client(1)
          if result != 3 && result != 1003 { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    for _ in 0..<shortened(100) {
      let hook = try twice.hook { call in
        try call.proceed()
        try call.setResult(call.result(as: Int32.self) + 1000)
      }
      XCTAssertEqual(client(1), 1003)
      hook.remove()
      XCTAssertEqual(client(1), 3)
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    XCTAssertFalse(twice.slots.contains(where: \.isHooked))
  }
}
