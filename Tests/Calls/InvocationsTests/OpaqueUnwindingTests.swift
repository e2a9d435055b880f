import CFixtures
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so what its symbols are is known; a
// scene outlives its child's use of it.

/// Calls without a signature that end otherwise than by a return.
final class OpaqueUnwindingTests: XCTestCase {
  private static let source = """
    #include <execinfo.h>
    #include <pthread.h>
    #include <setjmp.h>

    enum { EXIT, CANCEL, THROW, TRACE, JUMP };
    static void (*hooked)();
    static int way, inner, destroyed, found;
    static jmp_buf place;

    struct local { ~local() { destroyed++; } };

    // In a section of its own, so that its frames are known.
    extern char __start_levels[], __stop_levels[];
    __attribute__((noinline, section("levels"))) static void level() {
      local value;
      hooked();
      __asm__ volatile("" ::: "memory");
    }

    static void *run(void *) {
      if (way != JUMP || !setjmp(place)) level();
      return nullptr;
    }

    __attribute__((noinline)) static int seek() {
      void *frames[64];
      int count = backtrace(frames, 64), hits = 0;
      for (int index = 0; index < count; index++) {
        char *frame = (char *)frames[index];
        hits += frame > __start_levels && frame < __stop_levels;
      }
      return hits;
    }

    extern "C" void unwinding_body() {
      if (inner-- > 0) return level();
      switch (way) {
      case EXIT: pthread_exit(nullptr);
      case CANCEL: pthread_cancel(pthread_self()); pthread_testcancel(); break;
      case THROW: throw 7;
      case TRACE: found = seek(); break;
      case JUMP: longjmp(place, 1);
      }
    }

    // How many levels were unwound, or are seen from within.
    extern "C" int unwinding_run(void (*code)(), int a_way, int levels, bool catches) {
      hooked = code; way = a_way; inner = levels - 1; destroyed = found = 0;
      if (way == TRACE) { level(); return found; }
      if (catches) {
        try { level(); } catch (int) { return destroyed; }
        return -1;
      }
      pthread_t thread;
      pthread_create(&thread, nullptr, run, nullptr);
      pthread_join(thread, nullptr);
      return destroyed;
    }
    """

  private typealias Run = @convention(c) (UnsafeRawPointer, Int32, Int32, Bool) -> Int32

  private enum Way: Int32, CaseIterable { case exit, cancel, exception, trace, jump }

  /// What is observed: the calls' begins and ends.
  private final class Counts: OpaqueCallObserver {
    let begun = Atomic(0)
    let ended = Atomic(0)
    let abandoned = Atomic(0)

    func begin() -> OpaqueCall {
      begun.add(1, ordering: .relaxed)
      return OpaqueCall((0, 0, 0))
    }
    func end(_ call: OpaqueCall) { ended.add(1, ordering: .relaxed) }
    func abandon(_ call: OpaqueCall) { abandoned.add(1, ordering: .relaxed) }

    var isBalanced: Bool {
      begun.load(ordering: .relaxed)
        == ended.load(ordering: .relaxed) + abandoned.load(ordering: .relaxed)
    }
  }

  /// One way to leave some calls.
  @safe
  private final class Scene {
    let counts = Counts()
    let way: Way
    let levels: Int32
    let catches: Bool
    private let run: Run
    private let code: OpaqueCode

    init(_ library: LoadedLibrary, _ way: Way, levels: Int32, catches: Bool = false) throws {
      (self.way, self.levels, self.catches) = (way, levels, catches)
      unsafe run = unsafe try unsafeBitCast(
        library.address(of: "unwinding_run"), to: Run.self)
      code = unsafe try OpaqueCode(
        original: UnsafeRawPointer(library.address(of: "unwinding_body")), counts)
    }

    /// Runs it in a child with a time limit.
    ///
    /// - Returns: How many levels were left, plus 100 where some call has no end; or minus the
    ///   signal that ended the child.
    func status() -> Int32 {
      unsafe fixture_fork(
        { context in
          alarm(20)
          guard let context = unsafe context else { return -1 }
          let scene = unsafe Unmanaged<Scene>.fromOpaque(context).takeUnretainedValue()
          let left = unsafe scene.run(
            scene.code.address, scene.way.rawValue, scene.levels, scene.catches)
          return left + (scene.counts.isBalanced ? 0 : 100)
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  private func library() throws -> LoadedLibrary {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that starts a thread")
    return try LoadedLibrary(
      CompiledFiles(self).compile(
        "libunwinding.so", ["-x", "c++", "-shared", "-fPIC", "-O1"], source: Self.source,
        libraries: ["-lstdc++"]))
  }

  func testAThreadThatExitsOrIsCancelledInsideCleansUpAndEnds() throws {
    let library = try library()
    for way in [Way.exit, .cancel] {
      for levels: Int32 in [1, 2, 5] {
        let scene = try Scene(library, way, levels: levels)
        XCTAssertEqual(scene.status(), levels, "\(way), \(levels) levels")
      }
    }
  }

  func testAnExceptionReachesTheHandlerAroundTheCalls() throws {
    let library = try library()
    for levels: Int32 in [1, 2, 5] {
      let scene = try Scene(library, .exception, levels: levels, catches: true)
      XCTAssertEqual(scene.status(), levels, "\(levels) levels")
    }
  }

  func testAnExceptionThatNobodyCatchesEndsTheProgram() throws {
    let library = try library()
    XCTAssertEqual(try Scene(library, .exception, levels: 2).status(), -SIGABRT)
  }

  func testABacktraceFromInsideShowsTheCallers() throws {
    let library = try library()
    for levels: Int32 in [1, 2, 5] {
      let scene = try Scene(library, .trace, levels: levels)
      XCTAssertEqual(scene.status(), levels, "\(levels) levels")
    }
  }

  func testCallsThatAJumpLeftEndWithTheirThreadAtTheLatest() throws {
    let library = try library()
    for levels: Int32 in [1, 5] {
      // A jump unwinds nothing.
      XCTAssertEqual(try Scene(library, .jump, levels: levels).status(), 0, "\(levels) levels")
    }
  }
}
