import BlockHooks
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Hooks of functions that take a variable number of arguments.
final class VariadicHookTests: XCTestCase {
  private typealias Call = @convention(c) (UnsafeMutablePointer<CChar>?, Int) -> Int32
  private typealias Run = @convention(c) () -> Int64

  /// A call of `snprintf` with random arguments, and what a hook should read.
  private struct Printed {
    var format = ""
    var arguments = ""
    var values: [CValue] = []

    init(_ generator: inout SeededGenerator) {
      for _ in 0..<Int.random(in: 0...14, using: &generator) { add(&generator) }
    }

    private mutating func add(_ generator: inout SeededGenerator) {
      let number = Int32.random(in: -1000...1000, using: &generator)
      let real = Double(number) / 8
      switch Int.random(in: 0..<14, using: &generator) {
      case 0: add("%d", "\(number)", .integer(Int128(number)))
      case 1: add("%+hhd", "(signed char)\(number % 100)", .integer(Int128(number % 100)))
      case 2: add("%#08x", "\(number)u", .integer(Int128(UInt32(bitPattern: number))))
      case 3: add("%'ld", "\(number)L", .integer(Int128(number)))
      case 4: add("% zu", "(size_t)\(number)", CValue(UInt64(bitPattern: Int64(number))))
      case 5: add("%-12.3f", "\(real)", .double(real))
      case 6: add("%g", "\(real)f", .double(real))
      case 7: add("%La", "\(real)L", .longDouble(LongDouble(real)))
      case 8: add("%c", "'\\x41'", .integer(0x41))
      case 9: add("%s", "\"text \(number)\"", .cString("text \(number)"))
      case 10:
        add(
          "%p", "(void *)0x\(String(number.magnitude, radix: 16))", .pointer(UInt(number.magnitude))
        )
      case 11: add("%*.*f", "12, 2, \(real)", 12, 2, .double(real))
      case 12: add("%.3s", "\"xyzuv\"", .cString("xyz"))
      default: add("%.*s%%%m", "2, \"\\xc3\\xa9\\xff\"", 2, .cString("é"))
      }
    }

    private mutating func add(_ conversion: String, _ argument: String, _ values: CValue...) {
      format += conversion + "|"
      arguments += ", \(argument)"
      self.values += values
    }
  }

  private func library(
    _ name: String, _ options: [String], _ source: String
  ) throws -> LoadedLibrary {
    try LoadedLibrary(
      CompiledFiles(self).compile(
        "lib\(name).so", ["-shared", "-fPIC", "-O1"] + options, source: source))
  }

  /// clang's calls are the oracle of what is read, and the C library of what is passed on.
  func testAHookReadsAndPassesOnWhatAFormatSays() throws {
    var generator = SeededGenerator(seed: 49)
    let printed = (0..<150).map { _ in Printed(&generator) }
    let source = printed.enumerated().map { index, call in
      "int print_\(index)(char *b, size_t n) { errno = 2; return snprintf(b, n, \"\(call.format)\"\(call.arguments)); }"
    }
    let library = try library(
      "variadic_formats", ["-fno-builtin", "-fno-optimize-sibling-calls", "-w"],
      "#include <errno.h>\n#include <stdio.h>\n" + source.joined(separator: "\n"))
    func texts() throws -> [String] {
      try printed.indices.map { index in
        let call = unsafe try unsafeBitCast(library.address(of: "print_\(index)"), to: Call.self)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
          let count = unsafe call(bytes.baseAddress, 4096)
          return unsafe "\(count) \(String(cString: bytes.baseAddress!))"
        }
      }
    }
    let expected = try texts()
    let function = try ImportedFunction("snprintf", in: .only(library.path))
    let seen = Recorder<[String]>()
    let positions: [HookPositions] = [.before, .instead, .after, [.before, .after]]
    for position in positions {
      let first = try function.hook(position) { call in
        if call.position == .instead { try call.proceed() }
        if call.position != .after {
          seen.record(try call.variadic.values(format: 2).map(\.description))
        }
      }
      XCTAssertEqual(try texts(), expected, "\(position)")
      if position != .after {
        let wrong = zip(seen.take(), printed).first { $0 != $1.values.map(\.description) }
        XCTAssertNil(wrong, "\(position)")
      }
      // Twice.
      let second = try function.hook(.instead) { call in try call.proceed() }
      XCTAssertEqual(try texts(), expected, "\(position), twice")
      first.remove()
      second.remove()
      _ = seen.take()
    }
  }

  private static let mixed = """
    #include <stdarg.h>
    long mixed_sum(int count, ...) {
      va_list list;
      va_start(list, count);
      double sum = 0;
      for (int i = 0; i < count; i++) sum = sum * 2 + va_arg(list, double) + va_arg(list, int);
      va_end(list);
      return (long)sum;
    }
    """
  private static let caller = """
    long mixed_sum(int count, ...);
    long mixed_call(void) {
      return mixed_sum(11, 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6, 7.0, 7, 8.0, 8, 9.0, 9,
                       10.0, 10, 11.0, 11);
    }
    """

  /// A function that says by a count what it is passed, and code that calls it.
  private func mixed(_ name: String) throws -> (ImportedFunction, () throws -> Int64) {
    let callee = try library("\(name)_callee", [], Self.mixed.replacing("mixed", with: name))
    let caller = try library(
      "\(name)_caller", [callee.path], Self.caller.replacing("mixed", with: name))
    let run = unsafe try unsafeBitCast(caller.address(of: "\(name)_call"), to: Run.self)
    return unsafe (
      try ImportedFunction(declaration: "long \(name)_sum(int count, ...)"),
      {
        let result = run()
        withExtendedLifetime(caller) {}
        return result
      }
    )
  }

  func testWhatLiesBeyondTheRegistersArrives() throws {
    let (function, call) = try mixed("beyond")
    let expected = try call()
    let seen = Recorder<String>()
    let hooks = try [HookPositions.before, .after, [.before, .after]].enumerated().map {
      number, positions in
      try function.hook(positions) { call in
        // The registers do not survive this.
        _ = "\(Double(number) * 1.5) \([1.5, 2.5].map { $0 * 2 })"
        guard call.position == .after else { return seen.record("\(number) before") }
        seen.record(
          "\(number) after \(try call.result(as: Int.self)) \(try call.argument(0, as: Int32.self))"
        )
      }
    }
    XCTAssertEqual(try call(), expected)
    XCTAssertEqual(
      seen.entries, ["2 before", "0 before", "1 after \(expected) 11", "2 after \(expected) 11"])
    let reader = try function.hook { call in
      var arguments = try call.variadic
      for number in 1...11 {
        XCTAssertEqual(try arguments.next(), Double(number))
        XCTAssertEqual(try arguments.next(), Int32(number))
      }
      try call.proceed()
    }
    XCTAssertEqual(try call(), expected)
    for hook in hooks + [reader] { XCTAssertTrue(hook.remove()) }
    XCTAssertEqual(try call(), expected)
  }

  func testHandlersChangeArgumentsAndResults() throws {
    let (function, call) = try mixed("changed")
    let before = try function.hook(.before) { call in try call.setArgument(0, Int32(2)) }
    XCTAssertEqual(try call(), 1 * 2 + 2 + 2 + 2)
    let after = try function.hook(.after) { call in
      try call.setResult(call.result(as: Int.self) + 1000)
    }
    XCTAssertEqual(try call(), 1008)
    before.remove()
    after.remove()
    try function.hook { call in try call.setResult(5) }
    XCTAssertEqual(try call(), 5)
    function.removeHooks()
  }

  func testAnArgumentThatNobodyNamedIsNotPassedOnByHandlersButByTheCall() throws {
    let (function, call) = try mixed("unnamed")
    let expected = try call()
    let codes = Recorder<ErrorCode?>()
    let refused = try function.hook(onError: { codes.record(($0 as? InvocationError)?.code) }) {
      call in
      try call.proceed()
    }
    XCTAssertEqual(try call(), expected)
    XCTAssertEqual(codes.entries, [.unnamedArguments])
    // A handler with conditions, and one that leaves during its call.
    let positions = Recorder<CallFrame.Position>()
    try function.hook([.before, .after], when: .times(2)) { call in positions.record(call.position)
    }
    refused.remove()
    XCTAssertEqual([try call(), try call(), try call()], [expected, expected, expected])
    XCTAssertEqual(positions.entries, [.before, .after, .before, .after])
    XCTAssertEqual(function.hooks.count, 0)
    // Named as none: the function gets what it is passed.
    try function.hook { call in
      try call.setArgument(0, Int32(0))
      _ = try call.variadic.values(as: [])
      try call.proceed()
    }
    XCTAssertEqual(try call(), 0)
    function.removeHooks()
  }

  func testHooksThatKeepCallsAreRefused() throws {
    let (function, call) = try mixed("kept")
    for definition in [HookDefinition.intercepting { _ in }] {
      XCTAssertThrowsError(try function.install(definition)) { error in
        XCTAssertEqual((error as? InterposingError)?.code, .unsupportedType)
      }
    }
    let plain = unsafe try ImportedFunction(function.symbol, signature: "qi")
    let hook = try function.hook(.before) { _ in }
    XCTAssertThrowsError(try plain.hook(.before) { _ in }) { error in
      XCTAssertEqual((error as? InterposingError)?.code, .signatureConflict)
    }
    hook.remove()
    _ = try call()
  }

  func testAHookThatReadsPartOfTheArgumentsIsRemovedByItsHandler() throws {
    let (function, call) = try mixed("inside")
    let expected = try call()
    let hook = Recorder<Hook>()
    let seen = Recorder<Int64>()
    hook.record(
      try function.hook([.before, .after]) { frame in
        for hook in hook.entries { hook.remove() }
        seen.record(try frame.variadic.values(as: [Double.self]).count == 1 ? 1 : 0)
      })
    XCTAssertEqual(try call(), expected)
    XCTAssertEqual(try call(), expected)
    XCTAssertEqual(seen.entries, [1])
  }
}
