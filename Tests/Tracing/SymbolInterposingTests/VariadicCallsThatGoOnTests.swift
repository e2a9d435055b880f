import BlockHooks
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// What variadic functions are passed when hooks read, change and pass on their calls.
final class VariadicCallsThatGoOnTests: XCTestCase {
  private typealias Run = @convention(c) () -> Int64

  private static let callee = """
    #include <errno.h>
    #include <string.h>
    const char *NAME_same(const char *text, ...) {
      errno = 5;
      return text;
    }
    long NAME_vectors(int count, ...);
    #if defined(__x86_64__)
    // al, by a function whose address has no bits where al has them.
    __asm__(".globl NAME_vectors\\n.type NAME_vectors,@function\\n.p2align 8\\n"
            "NAME_vectors: movzbl %al,%eax\\nret\\n.size NAME_vectors,.-NAME_vectors\\n");
    #else
    long NAME_vectors(int count, ...) { return 1; }
    #endif
    long NAME_sum(int count, ...) {
      __builtin_va_list list;
      __builtin_va_start(list, count);
      double sum = 0;
      for (int i = 0; i < count; i++) sum += __builtin_va_arg(list, double);
      return (long)sum;
    }
    long (*NAME_next)(int);
    long NAME_nested(const char *text, int depth, ...) {
      long others = depth ? NAME_next(depth - 1) : 0;
      return others + (strcmp(text, "a text that is too long to be in place") == 0);
    }
    """
  private static let caller = """
    #include <errno.h>
    #include <stdio.h>
    #include <string.h>
    const char *NAME_same(const char *text, ...);
    long NAME_call_same(void) {
      const char *text = NAME_same("");
      return strspn(text, "a") * 100 + errno;
    }
    long NAME_vectors(int count, ...), NAME_sum(int count, ...), NAME_nested(const char *, int, ...);
    extern long (*NAME_next)(int);
    long NAME_call_vectors(void) { return NAME_vectors(1, 1.0); }
    long NAME_call_sum(void) {
      return NAME_sum(12, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0);
    }
    static long next(int depth) { return NAME_nested("", depth, 1.0) + 0; }
    long NAME_call_nested(void) { NAME_next = next; return next(99); }
    long NAME_call_print(void) {
      char text[100];
      snprintf(text, sizeof text, "%d %d %d %s %s", 1, 2, 3, "four", "five");
      return strcmp(text, "1 2 3 four five");
    }
    """

  /// A library whose functions call the others', and its calls.
  private func library(_ name: String) throws -> (path: String, call: (String) throws -> Int64) {
    func compiled(_ suffix: String, _ options: [String], _ source: String) throws -> LoadedLibrary {
      try LoadedLibrary(
        CompiledFiles(self).compile(
          "lib\(name)_\(suffix).so",
          ["-shared", "-fPIC", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls"] + options,
          source: source.replacing("NAME", with: name)))
    }
    let callee = try compiled("callee", [], Self.callee)
    let library = try compiled("caller", [callee.path], Self.caller)
    return (
      library.path,
      { symbol in
        unsafe unsafeBitCast(try library.address(of: "\(name)_call_\(symbol)"), to: Run.self)()
      }
    )
  }

  func testAHandlerThatFirstReadsAfterTheCallIsRefused() throws {
    let (_, call) = try library("late")
    let function = unsafe try ImportedFunction(declaration: "long late_sum(int, ...)")
    let codes = Recorder<ErrorCode?>()
    try function.hook(.after, onError: { codes.record(($0 as? InvocationError)?.code) }) { call in
      _ = try call.variadic.values(as: Array(repeating: Double.self, count: 12))
    }
    XCTAssertEqual(try call("sum"), 78)
    XCTAssertEqual(codes.entries, [.noResult])
    function.removeHooks()
  }

  func testAFunctionIsToldThatVectorRegistersPassArguments() throws {
    let (_, call) = try library("told")
    let function = unsafe try ImportedFunction(declaration: "long told_vectors(int, ...)")
    XCTAssertEqual(try call("vectors"), 1)
    try function.hook { call in
      _ = try call.variadic.values(as: [Double.self])
      try call.proceed()
    }
    XCTAssertEqual(try call("vectors"), 1)
    function.removeHooks()
  }

  func testHandlersRunAfterAllNestedCallsAndTextsLiveDuringThem() throws {
    let (_, call) = try library("deep")
    let function = unsafe try ImportedFunction(
      declaration: "long deep_nested(const char *, int, ...)")
    let depths = Recorder<Int32>()
    try function.hook(.after) { call in depths.record(try call.argument(1)) }
    try function.hook(.before) { call in
      try call.setArgument(0, "a text that is too long to be in place")
    }
    XCTAssertEqual(try call("nested"), 100)
    XCTAssertEqual(depths.entries, Array(0..<100))
    function.removeHooks()
  }

  func testAResultThatIsATextOfAHandlerOutlivesTheCallAndAHandlerSetsTheErrorNumber() throws {
    let (_, call) = try library("same")
    let function = unsafe try ImportedFunction(
      declaration: "const char *same_same(const char *, ...)")
    try function.hook(.before) { call in
      try call.setArgument(0, String(repeating: "a", count: 500))
    }
    XCTAssertEqual(try call("same"), 50_005)
    try function.hook(.after) { call in
      XCTAssertEqual(call.errno, 5)
      call.errno = 12
    }
    XCTAssertEqual(try call("same"), 50_012)
    function.removeHooks()
  }

  func testAFormatSaysMoreThanAHandlerThatReadsTheFirstArgument() throws {
    let (path, call) = try library("first")
    let function = try ImportedFunction("snprintf", in: .only(path))
    try function.hook { call in try call.proceed() }
    try function.hook(.before) { call in
      var arguments = try call.variadic
      XCTAssertEqual(try arguments.next(), Int32(1))
    }
    XCTAssertEqual(try call("print"), 0)
    function.removeHooks()
  }
}
