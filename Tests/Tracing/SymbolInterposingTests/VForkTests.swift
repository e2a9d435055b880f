import BlockABI
import BlockHooks
import CFixtures
import Dispatch
import Foundation
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions have these signatures.

/// Children of `vfork`, which use their parent's thread, and end in a hooked function.
final class VForkTests: XCTestCase {
  private static let source = """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <sys/wait.h>
    #include <unistd.h>

    // 0: ends; 1: becomes another program; 2: fails to, and ends.
    int vforking_child(int way) {
      char *arguments[] = {"true", 0}, *none[] = {0};
      pid_t child = vfork();
      if (child == 0) {
        if (way > 0) execve(way == 1 ? "/bin/true" : "/no/such/program", arguments, none);
        _exit(way == 1 ? 100 : way + 7);
      }
      int status = -1;
      if (child < 0 || waitpid(child, &status, 0) != child) return -errno;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1000;
    }
    """

  private struct Scene {
    let path: String
    let child: Client
    let calls = Counter()
    var hooks: [Hook] = []

    init(_ test: XCTestCase) throws {
      path = try CompiledFiles(test).compile(
        "libvforking.so", ["-shared", "-fPIC", "-O1"], source: VForkTests.source)
      child = try Client(path, "vforking_child")
    }

    mutating func hook(_ symbol: String, _ signature: String) throws {
      let calls = calls
      let function = unsafe try ImportedFunction(symbol, signature: signature, in: .only(path))
      hooks.append(try function.hook([.before, .after]) { _ in calls.add() })
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  /// Whether `body`, on another thread, comes to its end.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      isOver.signal()
    }
    return isOver.wait(timeout: .now() + 20) == .success
  }

  func testItsParentIsNotLeftInsideOfTheHookedFunctionThatAChildEndsBy() throws {
    try XCTSkipIf(isSanitized, "sanitizers have a vfork of their own")
    try XCTSkipIf(isEmulated, "QEMU forks instead, so that the child's calls are not counted")
    var scene = try Scene(self)
    try scene.hook("_exit", "vi")
    try scene.hook("execve", "i*^*^*")
    for _ in 0..<50 {
      XCTAssertEqual(scene.child(0), 7)
      XCTAssertEqual(scene.child(1), 0)
      XCTAssertEqual(scene.child(2), 9)
    }
    // Each _exit and each execve begins, and an execve that fails ends.
    XCTAssertEqual(scene.calls.value, 50 * (1 + 1 + 3))
    for hook in scene.hooks {
      XCTAssertTrue(ends { hook.removeAndWait() }, "the thread that waits here is in no call")
    }
    XCTAssertEqual(scene.child(0), 7)
    XCTAssertFalse(ImportSlot.all(of: "vfork").contains(where: \.isHooked))
  }

  func testTheCallsThatTheParentIsInsideOfStayProtected() throws {
    try XCTSkipIf(isSanitized, "sanitizers have a vfork of their own")
    var scene = try Scene(self)
    try scene.hook("_exit", "vi")
    let child = scene.child
    // A thread's first hazard pointers lie in segments of 62.
    for levels in [0, 1, 59, 60, 61, 62, 63, 130] as [Int32] {
      let pointer = unsafe try XCTUnwrap(fixture_heap_countdown(nil))
      let hook = unsafe try Block(unsafePointer: pointer).hook { call in
        if try call.argument(1, as: Int32.self) == 0 { XCTAssertEqual(child(0), 7) }
        try call.proceed()
        if try call.argument(1, as: Int32.self) == 0 { XCTAssertEqual(child(0), 7) }
      }
      XCTAssertEqual(unsafe fixture_call_int(pointer, levels), levels)
      XCTAssertTrue(ends { hook.removeAndWait() }, "\(levels)")
      unsafe fixture_release(pointer)
    }
    for hook in scene.hooks { XCTAssertTrue(ends { hook.removeAndWait() }) }
  }

  func testChildrenLeaveNothingWhereCallsOfSeveralStacksHaveEndedInAnyOrder() throws {
    try XCTSkipIf(isSanitized, "sanitizers have a vfork of their own")
    var scene = try Scene(self)
    try scene.hook("_exit", "vi")
    let (first, second): (UInt, UInt) = (16, 32)
    Fibre.with(
      size: 1 << 16,
      [
        { fibre in
          let place = fixture_announce(first)
          fibre.yield()
          fixture_announcement_ends(place)
        }
      ]
    ) { fibres in
      fibres[0].resume()
      let place = fixture_announce(second)
      // Below one of another stack.
      fibres[0].resume()
      XCTAssertEqual(scene.child(0), 7)
      XCTAssertEqual(fixture_announced(second), 1)
      for hook in scene.hooks { XCTAssertTrue(ends { hook.removeAndWait() }) }
      fixture_announcement_ends(place)
      XCTAssertEqual(fixture_announced(second), 0)
    }
  }
}
