import BlockABI
import BlockHooks
import CallTracing
import Glibc
import Invocations
import QueueTracing
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so its functions are known.

/// Blocks whose literals carry no type encoding.
final class OpaqueBlockTests: XCTestCase {
  /// Blocks as a compiler without encodings makes them: by hand.
  private static let source = """
    #include <setjmp.h>
    #include <stddef.h>
    extern const void *_Block_copy(const void *);
    extern void _Block_release(const void *);
    extern void *_NSConcreteStackBlock[];

    struct block;
    typedef double (*wide)(struct block *, int, double, long, long, long, long, long, long, double);
    struct big { long words[5]; };
    struct descriptor { size_t reserved, size; };
    struct block {
      void *isa; int flags, reserved; void *invoke; struct descriptor *descriptor; long base;
    };
    static struct descriptor descriptor = {0, sizeof(struct block)};

    static double opaque_wide(struct block *block, int a, double b, long c, long d, long e, long f,
                              long g, long h, double i) {
      return block->base + a + b + c + d + e + f + 10 * g + 100 * h + i;
    }
    static struct big opaque_big(struct block *block, long first) {
      return (struct big){{first, 2, 3, 4, block->base}};
    }
    static void opaque_nested(struct block *block, int depth);
    static jmp_buf place;
    static void opaque_jump(struct block *block) { longjmp(place, 1); }

    static struct block *copy(void *invoke, int flags) {
      struct block block = {_NSConcreteStackBlock, flags, 0, invoke, &descriptor, 1000};
      return (struct block *)_Block_copy(&block);
    }

    static void opaque_nested(struct block *block, int depth) {
      if (depth) ((void (*)(struct block *, int))block->invoke)(block, depth - 1);
    }

    // Vectors vanish from encodings; on x86-64 those of 32 bytes have their upper halves in registers
    // of their own.
    typedef long vector __attribute__((vector_size(32)));
    #ifdef __x86_64__
    #define WITH_VECTORS __attribute__((target("avx2"), noinline))
    #define CLEAR_VECTORS __asm__ volatile("vzeroupper")
    #define HAS_VECTORS __builtin_cpu_supports("avx2")
    #else
    #define WITH_VECTORS __attribute__((noinline))
    #define CLEAR_VECTORS
    #define HAS_VECTORS 1
    #endif
    WITH_VECTORS static vector opaque_vectors(struct block *block, vector a, vector b) {
      return a + 10 * b + block->base;
    }
    // As a function of any library may: the upper halves are nobody's.
    WITH_VECTORS static int clear_vectors(void) { CLEAR_VECTORS; return 0; }
    WITH_VECTORS static int vectors(void) {
      struct block *block = copy(opaque_vectors, 0);
      vector a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
      vector sum = ((vector (*)(struct block *, vector, vector))block->invoke)(block, a, b);
      _Block_release(block);
      return (int)(sum[0] + 2 * sum[1] + 3 * sum[2] + 4 * sum[3]);
    }

    int opaques(int way) {
      switch (way) {
      case 5: return HAS_VECTORS ? vectors() : -1;
      case 6: return clear_vectors();
      case 1: {
        struct block *block = copy(opaque_wide, 0);
        double result = ((wide)block->invoke)(block, 1, 2.5, 3, 4, 5, 6, 7, 8, 9.25);
        _Block_release(block);
        return (int)(result * 100);
      }
      case 2: {
        struct block *block = copy(opaque_big, 1 << 29);
        struct big big = ((struct big(*)(struct block *, long))block->invoke)(block, 1);
        _Block_release(block);
        return (int)(big.words[0] + big.words[3] + big.words[4]);
      }
      case 3: {
        struct block *block = copy(opaque_nested, 0);
        ((void (*)(struct block *, int))block->invoke)(block, 99);
        _Block_release(block);
        return 3;
      }
      case 4: {
        struct block *block = copy(opaque_jump, 0);
        for (volatile int round = 0; round < 100; round++)
          if (!setjmp(place)) ((void (*)(struct block *))block->invoke)(block);
        struct block *after = copy(opaque_wide, 0);
        double result = ((wide)after->invoke)(after, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        _Block_release(block);
        _Block_release(after);
        return (int)result;
      }
      }
      return 0;
    }
    """

  private func opaques() throws -> Client {
    let files = try CompiledFiles(self)
    let runtime = try XCTUnwrap(
      ImportSlot.all(of: "_Block_copy").compactMap(\.target?.image).first { $0.contains("/lib") })
    let directory = runtime.split(separator: "/").dropLast().joined(separator: "/")
    let path = try files.compile(
      "libopaques.so", ["-shared", "-fPIC", "-O1"], source: Self.source,
      libraries: ["-L/\(directory)", "-lBlocksRuntime", "-Wl,-rpath,/\(directory)"])
    return try Client(path, "opaques")
  }

  func testVectorsPassAsWideAsTheyAre() throws {
    let run = try opaques()
    let expected = run(5)
    if expected < 0 { throw XCTSkip("the processor has no such vectors") }
    var filter = BlockFilter()
    filter.images = .only(run.path)
    let buffer = TraceBuffer(capacity: 1000)
    var options = TraceOptions()
    options.clock = ReadingClock { UInt64(run(6)) }
    let tracer = Tracer(buffer, options: options)
    let every = try EveryBlock(matching: filter).install(.tracing(with: tracer))
    for _ in 0..<100 { XCTAssertEqual(run(5), expected) }
    every.remove()
    tracer.close()
    XCTAssertEqual(buffer.records.count, 100)
  }

  func testTheyAreTracedWithoutArgumentsAndRunAsBefore() throws {
    let run = try opaques()
    let expected: [Int32: Int32] = [
      1: 190_075, 2: 1005, 3: 3, 4: 1000,
    ]
    for (way, result) in expected { XCTAssertEqual(run(way), result, "way \(way), not traced") }

    var filter = BlockFilter()
    filter.images = .only(run.path)
    // How many calls of each function are recorded: those left by `longjmp` never end.
    let counts = [
      1: ["opaque_wide": 1], 2: ["opaque_big": 1], 3: ["opaque_nested": 64], 4: ["opaque_wide": 1],
    ]
    for (way, counts) in counts.sorted(by: { $0.key < $1.key }) {
      let buffer = TraceBuffer(capacity: 1000)
      let tracer = Tracer(buffer)
      let every = try EveryBlock(matching: filter).install(.tracing(with: tracer))
      XCTAssertEqual(run(Int32(way)), expected[Int32(way)], "way \(way)")
      every.remove()
      XCTAssertEqual(run(Int32(way)), expected[Int32(way)], "way \(way), not traced any more")
      tracer.close()
      let names = buffer.records.map { $0.subject.name ?? "?" }
      XCTAssertEqual(
        Dictionary(grouping: names, by: { $0 }).mapValues(\.count), counts, "way \(way)")
      XCTAssertTrue(buffer.records.allSatisfy { $0.arguments.isEmpty && $0.result == nil })
      XCTAssertTrue(buffer.records.allSatisfy { $0.subject.signature.isEmpty })
    }
  }

}
