import BlockHooks
import Invocations
import SymbolInterposing
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Hooks of the C library's variadic functions: what they print and read is what they do unhooked.
final class VariadicFamilyTests: XCTestCase {
  private typealias Run = @convention(c) () -> UnsafePointer<CChar>

  /// Functions of the C library, what their callers pass in place of `...`, and a call of each that
  /// leaves text in `text`.
  private static var calls: [(name: String, values: [CValue], call: String)] {
    [
      ("sprintf", [1, "two", 3.5], #"COUNT = sprintf(text, "%d|%s|%g", 1, two, 3.5)"#),
      ("snprintf", [1, "two", 3.5], #"COUNT = snprintf(text, size, "%d|%s|%g", 1, two, 3.5)"#),
      ("asprintf", [1, "two", 3.5], #"COUNT = asprintf(&made, "%d|%s|%g", 1, two, 3.5); MADE"#),
      (
        "fprintf", [1, "two", 3.5],
        #"FILE *f = open_memstream(&made, &length); COUNT = fprintf(f, "%d|%s|%g", 1, two, 3.5); fclose(f); MADE"#
      ),
      ("dprintf", [1, "two", 3.5], #"COUNT = dprintf(2, "%d|%s|%g", 1, two, 3.5)"#),
      ("warnx", [1, "two"], #"warnx("%d %s", 1, two)"#),
      ("warn", [1, "two"], #"errno = 2; warn("%d %s", 1, two)"#),
      ("error", [1, "two"], #"error(0, 2, "%d %s", 1, two)"#),
      ("error_at_line", [1, "two"], #"error_at_line(0, 0, "file", 7, "%d %s", 1, two)"#),
      ("syslog", [1, "two"], #"openlog("log", LOG_PERROR, 0); syslog(3, "%d %s", 1, two)"#),
      (
        "swprintf", [1, .pointer(0), "two", 3.5, 0x78],
        #"COUNT = swprintf(wide, size, L"%d|%ls|%s|%5.2f|%lc|\u00fc", 1, L"wide", two, 3.5, L'x'); WIDE"#
      ),
      (
        "fwprintf", [1, "two", 3.5],
        #"FILE *f = open_wmemstream(&wmade, &length); COUNT = fwprintf(f, L"%d|%s|%g", 1, two, 3.5); fclose(f); swprintf(wide, size, L"%ls", wmade); WIDE"#
      ),
      ("sscanf", [.pointer(0), .pointer(0)], #"COUNT = sscanf("12 ab", "%d %s", &number, text)"#),
      (
        "fscanf", [.pointer(0), .pointer(0)],
        #"FILE *f = fmemopen("12 ab", 5, "r"); COUNT = fscanf(f, "%d %s", &number, text); fclose(f)"#
      ),
      (
        "swscanf", [.pointer(0), .pointer(0)],
        #"COUNT = swscanf(L"12 ab", L"%d %l[a\u00fcb]", &number, wide); WIDE"#
      ),
      (
        "fwscanf", [.pointer(0), .pointer(0)],
        #"FILE *f = fmemopen("12 ab", 5, "r"); COUNT = fwscanf(f, L"%d %s", &number, text); fclose(f)"#
      ),
      ("execl", ["c", .cString(nil)], #"COUNT = execl("/no/such", "a", "c", (char *)0)"#),
      ("execlp", [.cString(nil)], #"COUNT = execlp("/no/such", "a", (char *)0)"#),
      (
        "execle", ["c", "d", .cString(nil), .pointer(0)],
        #"COUNT = execle("/no/such", "a", "c", "d", (char *)0, environ)"#
      ),
    ]
  }

  private static let lists: [(name: String, call: String)] = [
    ("vsprintf", #"vsprintf(text, "%d|%s|%g", list)"#),
    ("vsnprintf", #"vsnprintf(text, size, "%d|%s|%g", list)"#),
    ("vasprintf", #"vasprintf(&made, "%d|%s|%g", list)"#),
    ("vdprintf", #"vdprintf(2, "%d|%s|%g", list)"#),
    ("vswprintf", #"vswprintf(wide, size, L"%d|%s|%g", list)"#),
  ]

  private static let source = """
    #define _GNU_SOURCE
    #include <err.h>
    #include <errno.h>
    #include <error.h>
    #include <stdarg.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <syslog.h>
    #include <unistd.h>
    #include <wchar.h>
    static char text[1000], *made, seen[3000];
    static wchar_t wide[1000], *wmade;
    static size_t size = 200, length;
    static int number, count, copy;
    static volatile const char *volatile word = "two";
    #define two ((const char *)word)
    #define COUNT count
    #define MADE strcpy(text, made); free(made); made = 0
    #define WIDE for (size_t i = 0; i < size; i++) text[i] = wide[i]
    // What standard error gets is seen too.
    static void begin(void) {
      memset(text, 0, sizeof text); memset(wide, 0, sizeof wide);
      number = count = 0;
      copy = dup(2);
      int file = memfd_create("errors", 0);
      dup2(file, 2);
      close(file);
    }
    static const char *end(int number_of_error) {
      static char errors[1000];
      ssize_t read = pread(2, errors, sizeof errors - 1, 0);
      errors[read < 0 ? 0 : read] = 0;
      dup2(copy, 2);
      close(copy);
      snprintf(seen, sizeof seen, "%d %d %d [%s] [%s]", count, number, number_of_error, text, errors);
      return seen;
    }
    """

  private func library(_ name: String, _ options: [String]) throws -> LoadedLibrary {
    let calls = Self.calls.map { name, _, call in
      "const char *run_\(name)(void) { begin(); errno = 0; \(call); return end(errno); }"
    }
    let lists = Self.lists.map { name, call in
      """
      static void list_\(name)(int first, ...) {
        va_list list; va_start(list, first);
        count = \(call);
        va_end(list);
        if (made) { strcpy(text, made); free(made); made = 0; }
        if (wide[0]) { WIDE; }
      }
      const char *run_\(name)(void) { begin(); list_\(name)(0, 1, two, 3.5); return end(0); }
      """
    }
    return try LoadedLibrary(
      CompiledFiles(self).compile(
        "lib\(name).so", ["-shared", "-fPIC", "-w"] + options,
        source: ([Self.source] + calls + lists).joined(separator: "\n")))
  }

  func testHooksReadAndPassOnWhatEachFunctionIsPassed() throws {
    for (name, options) in [
      ("families", ["-O1", "-fno-builtin"]), ("fortified", ["-O2", "-D_FORTIFY_SOURCE=2"]),
    ] {
      let library = try library(name, options)
      func run(_ name: String) throws -> String {
        let call = unsafe try unsafeBitCast(library.address(of: "run_\(name)"), to: Run.self)
        return unsafe String(cString: call())
      }
      let rows = Self.calls.map { ($0.name, $0.values) } + Self.lists.map { ($0.name, nil) }
      for (name, values) in rows {
        let expected = try run(name)
        let functions = try ImportedFunction.known(name, in: .only(library.path))
        for positions in [HookPositions.before, .after, .instead] {
          let seen = Recorder<[String]>()
          let types = values?.map(Self.type)
          for function in functions {
            try function.hook(positions, onError: { XCTFail("\(name): \($0)") }) { call in
              if call.position == .instead { try call.proceed() }
              guard call.position == .before else { return seen.record([]) }
              guard let types else { return seen.record([]) }
              seen.record(try call.variadic.values(as: types).map(Self.text))
              guard !name.hasPrefix("exec") else { return }
              let format = call.signature.arguments.count - 1
              seen.record(
                try
                  (name.contains("scanf")
                  ? call.variadic.values(scanFormat: format)
                  : call.variadic.values(format: format)).map(Self.text))
            }
          }
          XCTAssertEqual(try run(name), expected, "\(name), \(positions)")
          let all = seen.take()
          XCTAssertFalse(all.isEmpty, "\(name), \(positions)")
          if positions == .before, let values {
            // The library itself calls `snprintf` afterwards.
            XCTAssertEqual(Set(all.prefix(2)), [values.map(Self.text)], name)
          }
          for function in functions { function.removeHooks() }
        }
      }
    }
  }

  private static func type(of value: CValue) -> Any.Type {
    switch value {
    case .integer: Int32.self
    case .double: Double.self
    case .cString: String?.self
    default: unsafe UnsafeRawPointer?.self
    }
  }

  /// Pointers are those of one process.
  private static func text(of value: CValue) -> String {
    if case .pointer = value { "pointer" } else { "\(value)" }
  }

  func testTextsUpToANullPointerArePassedToAProgram() throws {
    let library = try LoadedLibrary(
      self, "sentinel",
      source: """
        #include <stdio.h>
        #include <sys/wait.h>
        #include <unistd.h>
        const char *run_list(void) {
          static char text[100];
          char *environment[] = {"X=environment", 0};
          int ends[2];
          pipe(ends);
          if (fork() == 0) {
            dup2(ends[1], 1);
            execle("/bin/sh", "sh", "-c", "echo $X $0 $1 $2 $3 $4 $5 $6 $7", "0", "1", "2", "3", "4", "5",
                   "6", "7", (char *)0, environment);
            _exit(9);
          }
          close(ends[1]);
          text[read(ends[0], text, 99)] = 0;
          close(ends[0]);
          wait(0);
          return text;
        }
        """)
    let run = unsafe try unsafeBitCast(library.address(of: "run_list"), to: Run.self)
    let expected = "environment 0 1 2 3 4 5 6 7\n"
    XCTAssertEqual(unsafe String(cString: run()), expected)
    let function = try ImportedFunction("execle", in: .only(library.path))
    try function.hook { call in try call.proceed() }
    XCTAssertEqual(unsafe String(cString: run()), expected)
    function.removeHooks()
  }

  func testAWideFormatThatMemoryDoesNotHoldIsRefused() throws {
    let wide: [UInt32] = [0x25, 0x64, 0x1F600, 0x25, 0x79, 0]
    let pointer = try FunctionPointer("int (*)(const wchar_t *, ...)") { call in
      do { _ = try call.variadic.values(format: 0) } catch let error as InvocationError {
        XCTAssertEqual(error.code, .invalidFormat)
        try call.setResult(Int32(error.message.contains("byte") ? 2 : 1))
      }
    }
    let call = unsafe try CFunction(
      unsafeAddress: pointer.unsafeAddress, signature: "i^v")
    XCTAssertEqual(unsafe try call(UnsafeRawPointer(bitPattern: 8)) as Int32, 1)
    XCTAssertEqual(unsafe try call(UnsafeRawPointer(bitPattern: 0x1001)) as Int32, 1)
    XCTAssertEqual(try unsafe wide.withUnsafeBytes { unsafe try call($0.baseAddress) } as Int32, 2)
  }
}
