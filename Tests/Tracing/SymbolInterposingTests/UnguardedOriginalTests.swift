import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are compiled here, with the signatures that are given.

/// Originals of every form of call: what they call is hooked, although a handler that proceeds to
/// them is running.
final class UnguardedOriginalTests: XCTestCase {
  private struct Form {
    let name: String
    let signature: String
    let declaration: String
    /// The expression of the result, which is an `int`.
    let call: String
    let body: String
    /// The code that calls the original if that takes a plain call; nil if it takes more.
    let caller: String?
  }

  private static let forms = [
    Form(
      name: "narrow", signature: "iid", declaration: "int NAME(int a, double b)",
      call: "NAME(x, 2)", body: "return a + (int)b;", caller: "cbr_call_narrow_unguarded"),
    Form(
      name: "narrowFloat", signature: "did", declaration: "double NAME(int a, double b)",
      call: "(int)NAME(x, 2)", body: "return a + b;", caller: "cbr_call_narrow_float_unguarded"),
    Form(
      name: "registers", signature: "iiiiidd",
      declaration: "int NAME(int a, int b, int c, int d, double e, double f)",
      call: "NAME(x, 1, 1, 1, 2, -3)", body: "return a + b + c + d + (int)(e + f);",
      caller: "cbr_call_registers"),
    Form(
      name: "stack", signature: "iiiiiiiiiiii",
      declaration:
        "int NAME(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)",
      call: "NAME(x, 1, 1, 1, 1, 1, 1, -5, 0, 0, 1)",
      body: "return a + b + c + d + e + f + g + h + i + j + k;", caller: nil),
    Form(
      name: "record", signature: "{R=qqq}i",
      declaration: "struct R { long a, b, c; } NAME(int a)",
      call: "(int)NAME(x).c", body: "return (struct R){1, 1, a + 2};", caller: nil),
    Form(
      name: "object", signature: "@i", declaration: "void *NAME(int a)",
      call: "(NAME(x) ? 0 : x + 2)", body: "(void)a; return 0;", caller: nil),
  ]

  /// A library whose `NAME_outer` calls `NAME`, and one where that calls an imported function.
  private func client(_ form: Form) throws -> Client {
    let name = "unguarded_\(form.name)"
    let declaration = form.declaration.replacingOccurrences(of: "NAME", with: name)
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "lib\(name)_inner.so", ["-shared", "-fPIC"],
      source: "int \(name)_inner(int x) { return x; }")
    _ = try files.compile(
      "lib\(name).so",
      [
        "-shared", "-fPIC", "-fno-omit-frame-pointer", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)",
      ],
      source: """
        #include <errno.h>
        extern int \(name)_inner(int x);
        void *\(name)_caller;
        \(declaration) {
          \(name)_caller = __builtin_return_address(0);
          \(name)_inner(a);
          errno = a;
          \(form.body)
        }
        """, libraries: ["-l:lib\(name)_inner.so"])
    let path = try files.compile(
      "lib\(name)_client.so",
      ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern \(declaration);
        int \(name)_outer(int x) {
          errno = 1;
          int result = \(form.call.replacingOccurrences(of: "NAME", with: name));
          return errno == x ? result : -1;
        }
        """, libraries: ["-l:lib\(name).so"])
    return try Client(path, "\(name)_outer")
  }

  /// The function that called the original last.
  private func caller(_ form: Form) throws -> String? {
    let library = unsafe dlopen("libunguarded_\(form.name).so", RTLD_LAZY | RTLD_NOLOAD)
    defer { unsafe dlclose(library.unsafelyUnwrapped) }
    let variable = unsafe try XCTUnwrap(dlsym(library, "unguarded_\(form.name)_caller"))
    // AArch64 signs return addresses in their upper bits.
    let address = unsafe variable.load(as: UInt.self) & 0xFFFF_FFFF_FFFF
    return unsafe UnsafeRawPointer(bitPattern: address).flatMap { unsafe CodeSymbol(at: $0)?.name }
  }

  func testWhatAnOriginalOfAnyFormCallsIsHookedAndErrnoIsWhatItLeft() throws {
    for form in Self.forms {
      let outer = try client(form)
      let name = "unguarded_\(form.name)"
      XCTAssertEqual(outer(7), 9, form.name)
      let original = unsafe try ImportedFunction(name, signature: form.signature)
      let inner = unsafe try ImportedFunction("\(name)_inner", signature: "ii")
      let log = Recorder<String>()
      let hooks = [
        try inner.hook(.before) { _ in log.record("inner") },
        try original.hook { call in
          log.record("begin")
          errno = 55
          try call.proceed()
          errno = 66
          log.record("end")
        },
      ]
      XCTAssertEqual(outer(7), 9, form.name)
      XCTAssertEqual(log.entries, ["begin", "inner", "end"], form.name)
      if let expected = form.caller, CallEngine.current == .plans {
        XCTAssertEqual(try caller(form), expected)
      }
      // Around the original without a handler that proceeds, and inside of two that do.
      let others = [
        try original.hook(.before) { _ in log.record("before") },
        try original.hook(.after) { _ in log.record("after") },
        try original.hook { call in try call.proceed() },
      ]
      XCTAssertEqual(outer(7), 9, form.name)
      XCTAssertEqual(
        log.entries.dropFirst(3), ["before", "begin", "inner", "end", "after"], form.name)
      for hook in hooks + others { hook.remove() }
      XCTAssertEqual(outer(7), 9, form.name)
      XCTAssertEqual(log.entries.count, 8, form.name)
    }
  }

  private typealias IntBlock = @convention(block) (Int32) -> Int32

  func testABlockThatAHandlerCallsLiftsNoGuardButItsOwn() throws {
    let victims = try Victims(self, "guarding")
    let client = try victims.client()
    let every: [@Sendable () throws -> Hook?] = [
      { nil }, { try EveryBlock().hook(.before) { _ in } },
      { try EveryBlock().hook { call in try call.proceed() } },
      // One by one.
      {
        try EveryBlock().hook([.instead, .death]) { call in
          if call.position == .instead { try call.proceed() }
        }
      },
    ]
    for (index, make) in every.enumerated() {
      let hookOfAll = try make()
      let nested = try Block({ client($0) } as IntBlock)
      let calls = Recorder<Int32>()
      let hook = try unsafe ImportedFunction(victims.twice, signature: "ii").hook(.before) { call in
        calls.record(try call.argument(0))
        if calls.entries.count < 10 { _ = try nested.call(Int32(2)) as Int32 }
      }
      XCTAssertEqual(client(1), 3)
      XCTAssertEqual(calls.entries, [1], "\(index)")
      hook.remove()
      hookOfAll?.remove()
    }
  }

  func testABlockThatAHandlerCallsLeavesItsErrno() throws {
    let files = try CompiledFiles(self)
    _ = try files.compile(
      "libnesting.so", ["-shared", "-fPIC"],
      source: "#include <errno.h>\nint nesting_inner(int x) { errno = x; return x; }")
    let path = try files.compile(
      "libnesting_client.so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern int nesting_inner(int x);
        int nesting_outer(int x) { errno = 1; nesting_inner(x); return errno; }
        """, libraries: ["-lnesting"])
    let outer = try Client(path, "nesting_outer")
    let everies = [
      try EveryBlock().hook(.before) { _ in errno = 31 },
      try EveryBlock().hook { call in
        errno = 32
        try call.proceed()
        errno = 33
      },
    ]
    let setsErrno: IntBlock = {
      errno = 40
      return $0
    }
    let nested = try Block(setsErrno)
    for position in [HookPositions.before, .after] {
      let inner = unsafe try ImportedFunction("nesting_inner", signature: "ii")
      let hook = try inner.hook(position) { _ in
        errno = 77
        _ = try nested.call(Int32(1)) as Int32
        errno = 78
      }
      XCTAssertEqual(outer(7), 7, "\(position)")
      hook.remove()
    }
    for every in everies { every.remove() }
  }
}
