import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so what its symbols are is known.

/// Hooks that observe blocks whose calls cannot be framed.
final class UnframedHookTests: XCTestCase {
  /// What a block gets that a frame would not hold, and what the caller then finds.
  private static let source = """
    #include <stdarg.h>
    #include <stddef.h>
    const void *_Block_copy(const void *block);
    typedef float vector __attribute__((vector_size(16)));
    struct numbers { double values[6]; };

    static volatile int one = 1;

    const void *vector_block(void) {
      int captured = one;
      return _Block_copy(^(vector a, int b, vector c) {
        return a * (float)b + c + (float)captured;
      });
    }
    double vector_call(const void *block) {
      vector a = {1, 2, 3, 4}, c = {100, 200, 300, 400};
      vector r = ((vector (^)(vector, int, vector))block)(a, 10, c);
      return r[0] + r[1] + r[2] + r[3];
    }

    const void *stack_block(void) {
      int captured = one;
      return _Block_copy(^(vector a, long b, long c, long d, long e, long f, long g, long h,
                           long double i) {
        struct numbers result = {{a[0], b + c + d + e + f, g, h, (double)i, captured}};
        return result;
      });
    }
    double stack_call(const void *block) {
      vector a = {1};
      struct numbers r = ((struct numbers (^)(vector, long, long, long, long, long, long, long,
                                              long double))block)(a, 1, 2, 3, 4, 5, 6, 7, 8.5L);
      double sum = 0;
      for (int i = 0; i < 6; i++) sum = sum * 10 + r.values[i];
      return sum;
    }

    const void *variadic_block(void) {
      int captured = one;
      return _Block_copy(^(int count, ...) {
        va_list list;
        va_start(list, count);
        double sum = captured;
        for (int i = 0; i < count; i++) sum = sum * 2 + va_arg(list, double) + va_arg(list, int);
        va_end(list);
        return sum;
      });
    }
    double variadic_call(const void *block) {
      return ((double (^)(int, ...))block)(11, 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6,
                                           7.0, 7, 8.0, 8, 9.0, 9, 10.0, 10, 11.0, 11);
    }

    void _Block_release(const void *block);
    void give_up(const void *block) { _Block_release(block); }
    """

  private typealias Make = @convention(c) () -> UnsafeRawPointer
  private typealias Call = @convention(c) (UnsafeRawPointer) -> Double

  private struct Subject {
    let name: String
    let library: LoadedLibrary
    let block: Block

    func call() throws -> Double {
      let call = unsafe try unsafeBitCast(library.address(of: "\(name)_call"), to: Call.self)
      return unsafe block.withUnsafePointer { unsafe call($0) }
    }
  }

  private static let names = ["vector", "stack", "variadic"]

  private func library(_ name: String) throws -> LoadedLibrary {
    try LoadedLibrary(self, name, source: Self.source)
  }

  /// A new block, observed as who cannot frame it must.
  private func subject(_ name: String, _ library: LoadedLibrary) throws -> Subject {
    let make = unsafe try unsafeBitCast(library.address(of: "\(name)_block"), to: Make.self)
    let giveUp = unsafe try unsafeBitCast(
      library.address(of: "give_up"), to: (@convention(c) (UnsafeRawPointer) -> Void).self)
    let pointer = unsafe make()
    let block = unsafe Block(unsafePointer: pointer)
    unsafe giveUp(pointer)
    return Subject(name: name, library: library, block: name == "variadic" ? block.unframed : block)
  }

  func testObservedCallsGetAndGiveWhatTheyDidBefore() throws {
    let library = try library("unframed_values")
    for name in Self.names {
      let subject = try subject(name, library)
      let expected = try subject.call()
      let seen = Recorder<String>()
      let positions: [HookPositions] = [.before, .after, [.before, .after, .death], .death]
      let hooks = try positions.enumerated().map { number, positions in
        try subject.block.hook(positions) { call in
          seen.record("\(number) \(call.position)")
          // The registers do not survive this.
          _ = "\(Double(number) * 1.5) \([1.5, 2.5].map { $0 * 2 })"
        }
      }
      XCTAssertEqual(try subject.call(), expected, name)
      XCTAssertEqual(seen.entries, ["2 before", "0 before", "1 after", "2 after"], name)
      for hook in hooks { XCTAssertTrue(hook.remove(), name) }
      XCTAssertEqual(try subject.call(), expected, name)
      XCTAssertEqual(seen.entries.count, 4, name)
    }
  }

  func testWhatIsNotKnownCannotBeReadOrReplaced() throws {
    let subject = try subject("vector", library("unframed_refusals"))
    let codes = Recorder<ErrorCode?>()
    @Sendable func note(_ body: () throws -> Void) {
      do { try body() } catch { codes.record((error as? InvocationError)?.code) }
    }
    try subject.block.hook([.before, .after]) { call in
      note { _ = try call.argument(1, as: Int32.self) }
      note { try call.setArgument(1, Int32(1)) }
      note { _ = try call.argumentValue(0) }
      note { _ = try call.result(as: Int32.self) }
      note { try call.setResult(Int32(1)) }
      note { try call.proceed() }
      XCTAssertEqual(call.arguments.count, 0)
      XCTAssertNil(call.resultText)
    }
    let expected = try self.subject("vector", subject.library).call()
    XCTAssertEqual(try subject.call(), expected)
    XCTAssertEqual(codes.entries.count, 12)
    XCTAssertEqual(Set(codes.entries), [.unsupportedType, .noResult, .cannotProceed])

    for (positions, conditions) in [
      (HookPositions.instead, HookConditions.always), ([.before, .instead], .always),
      (.before, .every(2)),
    ] {
      for (block, code) in [
        (subject.block, ErrorCode.invalidSignature), (subject.block.unframed, .noFrame),
      ] {
        expectError(code) { _ = try block.hook(positions, when: conditions) { _ in } }
      }
    }
    XCTAssertEqual(subject.block.hooks.count, 1)
  }

  func testAHandlerMayRemoveItsHookOrGiveUpItsBlock() throws {
    let library = try library("unframed_ends")
    let tracker = LifetimeTracker()
    for name in Self.names {
      let seen = Recorder<String>()
      let expected = try subject(name, library).call()
      var subject: Subject? = try subject(name, library)
      let positions: HookPositions = [.before, .after, .death]
      let hook = try subject?.block.hook(positions) { [tracked = tracker.track()] call in
        withExtendedLifetime(tracked) { seen.record("\(call.position)") }
      }
      XCTAssertEqual(try subject?.call(), expected, name)
      subject = nil
      XCTAssertEqual(seen.entries, ["before", "after", "death"], name)
      XCTAssertEqual(hook?.isInstalled, false, name)
      XCTAssertEqual(tracker.alive, 0, name)
    }
    let subject = try subject("vector", library)
    let seen = Recorder<String>()
    try subject.block.hook([.before, .after], name: "own") { [block = subject.block] call in
      seen.record("\(call.position)")
      block.removeHooks(named: "own")
    }
    for _ in 0..<2 { _ = try subject.call() }
    XCTAssertEqual(seen.entries, ["before"])
  }

  func testADeathHookNeedsNoSignatureBesideFramedHooks() throws {
    let pointer = unsafe try XCTUnwrap(fixture_block_without_signature())
    let block = unsafe Block(unsafePointer: pointer)
    let framed = unsafe try block.assuming(signature: "i@?i")
    for _ in 0..<2 {
      let first = try block.hook(.death) { _ in }
      let doubling = try framed.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + 1)
      }
      let last = try block.hook(.death) { _ in }
      XCTAssertEqual(try framed.call(4) as Int32, 9)
      expectError(.signatureConflict) { _ = try block.hook(.before) { _ in } }
      for hook in [first, doubling, last] { XCTAssertTrue(hook.remove()) }
      XCTAssertEqual(try framed.call(4) as Int32, 8)

      let seen = Recorder<String>()
      let observing = try block.hook(.before) { call in seen.record("\(call.position)") }
      XCTAssertEqual(try framed.call(4) as Int32, 8)
      XCTAssertEqual(seen.entries, ["before"])
      observing.remove()
    }
  }
}
