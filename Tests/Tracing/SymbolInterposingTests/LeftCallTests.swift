import BlockABI
import BlockHooks
import CFixtures
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so what its symbols are is known; a
// scene outlives its child's use of it.

/// Threads that end inside of hooked calls.
final class LeftCallTests: XCTestCase {
  private static let source = """
    #include <pthread.h>
    extern "C" const void *_Block_copy(const void *);
    typedef float vector __attribute__((vector_size(16)));

    enum { EXIT, CANCEL, THROW };
    static int way, destroyed;
    static volatile int one = 1;
    struct local { ~local() { destroyed++; } };

    static void leave() {
      switch (way) {
      case EXIT: pthread_exit(nullptr);
      case CANCEL: pthread_cancel(pthread_self()); pthread_testcancel(); break;
      case THROW: throw 7;
      }
    }

    extern "C" const void *left_narrow() {
      int captured = one;
      return _Block_copy(^(int) { if (captured) leave(); });
    }
    extern "C" const void *left_wide() {
      int captured = one;
      return _Block_copy(^(int, int, int, int, int, int, int, int) { if (captured) leave(); });
    }
    extern "C" const void *left_unframed() {
      int captured = one;
      return _Block_copy(^(vector) { if (captured) leave(); });
    }

    static const void *block;
    static int kind;
    __attribute__((noinline)) static void call() {
      local value;
      vector v = {};
      switch (kind) {
      case 0: ((void (^)(int))block)(1); break;
      case 1: ((void (^)(int, int, int, int, int, int, int, int))block)(1, 2, 3, 4, 5, 6, 7, 8); break;
      case 2: ((void (^)(vector))block)(v); break;
      case 3: leave(); break;
      }
    }
    static void *run(void *) {
      call();
      return nullptr;
    }
    extern "C" int left_run(const void *a_block, int a_kind, int a_way) {
      block = a_block; kind = a_kind; way = a_way;
      pthread_t thread;
      if (way == THROW) { try { call(); } catch (int) {} return destroyed; }
      pthread_create(&thread, nullptr, run, nullptr);
      pthread_join(thread, nullptr);
      return destroyed;
    }
    """
  private typealias Run = @convention(c) (UnsafeRawPointer?, Int32, Int32) -> Int32
  private typealias Make = @convention(c) () -> UnsafeRawPointer

  private enum Kind: Int32 { case narrow, wide, unframed, interposed }
  private enum Way: Int32 { case exit, cancel, exception }

  /// A hooked call that is left in one way.
  @safe
  private final class Scene {
    private let run: Run
    private let block: UnsafeRawPointer?
    private let kind: Kind
    private let way: Way
    private let hook: Hook

    init(_ run: Run, _ block: UnsafeRawPointer?, _ kind: Kind, _ way: Way, _ hook: Hook) {
      unsafe (self.run, self.block) = unsafe (run, block)
      (self.kind, self.way, self.hook) = (kind, way, hook)
    }

    /// Runs it in a child with a time limit, in which the hook is then removed.
    ///
    /// - Returns: How often the caller's variable was destroyed, or minus the signal that ended the
    ///   child.
    func status() -> Int32 {
      unsafe fixture_fork(
        { context in
          alarm(20)
          guard let context = unsafe context else { return -1 }
          let scene = unsafe Unmanaged<Scene>.fromOpaque(context).takeUnretainedValue()
          let destroyed = unsafe scene.run(scene.block, scene.kind.rawValue, scene.way.rawValue)
          scene.hook.removeAndWait()
          return destroyed
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  private func library() throws -> (library: LoadedLibrary, run: Run) {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that starts a thread")
    let library = try LoadedLibrary(
      CompiledFiles(self).compile(
        "libleft.so", ["-x", "c++", "-fblocks", "-shared", "-fPIC", "-O1"], source: Self.source,
        libraries: ["-lstdc++"]))
    return unsafe (library, try unsafeBitCast(library.address(of: "left_run"), to: Run.self))
  }

  func testACallOfABlockIsLeftAsWithoutHooks() throws {
    let (library, run) = unsafe try library()
    let hooks: [(Block) throws -> Hook] = [
      { try $0.hook(.before) { _ in } },
      { try $0.hook(.after) { _ in } },
      { try $0.hook { try $0.proceed() } },
    ]
    let blocks = [
      (Kind.narrow, "left_narrow"), (.wide, "left_wide"), (.unframed, "left_unframed"),
    ]
    for (kind, symbol) in blocks {
      let make = unsafe try unsafeBitCast(library.address(of: symbol), to: Make.self)
      for way in [Way.exit, .cancel, .exception] {
        // An unframed call cannot be replaced.
        for (index, install) in hooks.enumerated() where kind != .unframed || index < 2 {
          let pointer = unsafe make()
          let hook = try install(unsafe Block(unsafePointer: pointer))
          let scene = unsafe Scene(run, pointer, kind, way, hook)
          XCTAssertEqual(scene.status(), 1, "\(symbol), \(way), hook \(index)")
          unsafe fixture_release(pointer)
        }
      }
    }
  }

  func testACallOfAFunctionIsLeftAsWithoutHooks() throws {
    let (library, run) = unsafe try library()
    let ways = [(Way.exit, "pthread_exit", "v^v"), (.cancel, "pthread_testcancel", "v")]
    for (way, symbol, signature) in ways {
      let function = unsafe try ImportedFunction(
        symbol, signature: signature, in: .only(library.path))
      let hook = try function.hook { try $0.proceed() }
      XCTAssertEqual(unsafe Scene(run, nil, .interposed, way, hook).status(), 1, symbol)
      hook.remove()
    }
  }
}
