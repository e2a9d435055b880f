import BlockABI
import BlockHooks
import Invocations
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Closures and blocks that take a variable number of arguments, which clang passes.
final class VariadicArgumentTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(CallEngine.current == .libffi, "libffi calls what is listed only")
  }

  private typealias Call = @convention(c) (UnsafeRawPointer) -> Int32

  private static let source = """
    typedef struct { double x, y; } point;
    typedef struct { long a; double b; } mixed;
    typedef struct { long v[4]; } big;
    int all(int (*f)(const char *, ...)) {
      return f("all", 1, 2.5, (point){3, 4}, (mixed){5, 6.5}, (big){{7, 8, 9, 10}}, 11.5L,
               (__int128)-12, (char)13, 14.5f, (void *)15, "sixteen", 17, 18.5, 19.5, 20.5, 21.5,
               22.5, (point){23, 24});
    }
    int text(int (*f)(const char *, ...)) { return f("%d %s", 1, "two"); }
    int hostile(int (*f)(const char *, ...)) {
      return f(0) + f("%") + f("%d %") + f("%99999999999999999999d%5000$d") + f("%1$d %d", 1) +
             f("%y") + f("%3$d", 1) + f("\\xff%d\\xfe%", 1) + f((const char *)16) + f("%1$d %1$s");
    }
    int called(int (^b)(int, ...)) { return b(3, 1.0, 2.0, 3.0); }
    int (^captured(int base))(int, ...) {
      int (^b)(int, ...) = ^(int count, ...) {
        __builtin_va_list list;
        __builtin_va_start(list, count);
        double sum = base;
        for (int i = 0; i < count; i++) sum = sum * 2 + __builtin_va_arg(list, double);
        __builtin_va_end(list);
        return (int)sum;
      };
      extern void *_Block_copy(const void *);
      return _Block_copy(b);
    }
    """

  private func library(_ name: String) throws -> LoadedLibrary {
    try LoadedLibrary(self, "variadic_\(name)", source: Self.source)
  }

  private func call(
    _ symbol: String, _ library: LoadedLibrary,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws -> Int32 {
    let pointer = try FunctionPointer(
      "int (*)(const char *, ...)", onError: { XCTFail("\($0)") }, handler)
    let call = unsafe try unsafeBitCast(library.address(of: symbol), to: Call.self)
    return withExtendedLifetime(pointer) { unsafe call(pointer.unsafeAddress) }
  }

  private struct Point: Equatable { var x, y: Double }
  private struct Mixed: Equatable { var a: Int, b: Double }
  private struct Big { var a, b, c, d: Int }

  func testAClosureReadsEachKindOfArgument() throws {
    let result = try call("all", library("kinds")) { call in
      XCTAssertEqual(try call.argument(0), "all")
      var arguments = try call.variadic
      XCTAssertEqual(try arguments.next(), Int32(1))
      XCTAssertEqual(try arguments.next(), 2.5)
      XCTAssertEqual(try arguments.next(), Point(x: 3, y: 4))
      XCTAssertEqual(try arguments.next(), Mixed(a: 5, b: 6.5))
      XCTAssertEqual(try arguments.next(as: Big.self).d, 10)
      let bits = try arguments.next(as: LongDoubleBits.self)
      #if arch(x86_64)
      XCTAssertEqual(bits.low, 0xB800_0000_0000_0000)
      #else
      XCTAssertEqual(bits.high, 0x4002_7000_0000_0000)
      #endif
      XCTAssertEqual(try arguments.next(), Int128(-12))
      XCTAssertEqual(try arguments.next(), CChar(13))
      XCTAssertEqual(try arguments.next(), Float(14.5))
      XCTAssertEqual(unsafe try UInt(bitPattern: arguments.next(as: UnsafeRawPointer?.self)), 15)
      XCTAssertEqual(try arguments.next(), "sixteen")
      let kept = arguments
      XCTAssertEqual(try arguments.next(as: UInt16.self), 17)
      for number in 18...22 { XCTAssertEqual(try arguments.next(), Double(number) + 0.5) }
      XCTAssertEqual(try arguments.next(), Point(x: 23, y: 24))
      // A copy reads on where it was made.
      var copy = kept
      XCTAssertEqual(try copy.next(as: Int32.self), 17)
      XCTAssertThrowsError(try copy.next(as: [Int].self))
      try call.setResult(Int32(7))
    }
    XCTAssertEqual(result, 7)
  }

  func testNothingIsReadOnceTheCallHasEnded() throws {
    nonisolated(unsafe) var kept: VariadicArguments?
    _ = try call("text", library("ended")) { call in
      XCTAssertEqual(try call.variadic.values(format: 0), [1, "two"])
      XCTAssertThrowsError(try call.variadic.values(scanFormat: 1))
      // 1 is the address of no text, and nothing tells what an object is.
      var arguments = try call.variadic
      XCTAssertThrowsError(try arguments.next(as: String.self)) { error in
        XCTAssertEqual((error as? InvocationError)?.code, .typeMismatch)
      }
      XCTAssertThrowsError(try arguments.next(as: AnyObject.self))
      XCTAssertThrowsError(try call.variadic.values(as: [AnyObject.self]))
      unsafe kept = try call.variadic
    }
    XCTAssertThrowsError(unsafe try kept?.next(as: Int32.self)) { error in
      XCTAssertEqual((error as? InvocationError)?.code, .noResult)
    }
    let fixed = try FunctionPointer("int (*)(int)") { call in
      XCTAssertThrowsError(try call.variadic) { error in
        XCTAssertEqual((error as? InvocationError)?.code, .notVariadic)
      }
    }
    let function = try fixed.value(as: (@convention(c) (Int32) -> Int32).self)
    XCTAssertEqual(function(1), 0)
  }

  func testHostileFormatsAreRefused() throws {
    let count = try call("hostile", library("hostile")) { call in
      XCTAssertThrowsError(try call.variadic.values(format: 0)) { error in
        XCTAssertEqual((error as? InvocationError)?.code, .invalidFormat)
      }
      try call.setResult(Int32(1))
    }
    XCTAssertEqual(count, 10)
    // More than any stack holds.
    let format = String(repeating: "%f", count: 4096)
    let pointer = try FunctionPointer("int (*)(const char *, ...)", onError: { XCTFail("\($0)") }) {
      call in
      do { _ = try call.variadic.values(format: 0) } catch { try call.setResult(Int32(1)) }
    }
    _ = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "i*")(format) as Int32
  }

  func testVariadicBlocksAreMadeAndHooked() throws {
    let library = try library("blocks")
    let called = unsafe try unsafeBitCast(library.address(of: "called"), to: Call.self)
    let made = try Block(declaration: "int (^)(int, ...)") { call in
      try call.setResult(
        Int32(call.variadic.values(as: [Double.self, Double.self, Double.self]).count))
    }
    XCTAssertEqual(unsafe made.withUnsafePointer { unsafe called($0) }, 3)
    let make = unsafe try unsafeBitCast(
      library.address(of: "captured"), to: (@convention(c) (Int32) -> UnsafeRawPointer).self)
    for block in [made, unsafe Block(unsafePointer: make(10)).variadic] {
      let expected = unsafe block.withUnsafePointer { unsafe called($0) }
      let seen = Recorder<String>()
      for number in 0..<2 {
        for position in [HookPositions.before, .after] {
          try block.hook(position) { call in
            seen.record("\(number) \(call.position) \(try call.argument(1, as: Int32.self))")
          }
        }
      }
      let reading = try block.hook(.before) { call in
        XCTAssertEqual(try call.variadic.values(as: [Double.self, Double.self]), [1.0, 2.0])
      }
      XCTAssertEqual(unsafe block.withUnsafePointer { unsafe called($0) }, expected)
      XCTAssertEqual(seen.take(), ["1 before 3", "0 before 3", "0 after 3", "1 after 3"])
      let instead = try block.hook { call in
        _ = try call.variadic.values(as: [Double.self, Double.self, Double.self])
        try call.setArgument(1, Int32(2))
        try call.proceed()
        try call.setResult(call.result(as: Int32.self) + 1000)
      }
      let both = unsafe block.withUnsafePointer { unsafe called($0) }
      // The compiled block begins with 10: (10 * 2 + 1) * 2 + 2.
      let wanted = block == made ? expected + 1000 : 1044
      XCTAssertEqual(both, wanted)
      instead.remove()
      reading.remove()
      XCTAssertEqual(block.removeHooks(), 4)
      XCTAssertEqual(unsafe block.withUnsafePointer { unsafe called($0) }, expected)
    }
  }
}
