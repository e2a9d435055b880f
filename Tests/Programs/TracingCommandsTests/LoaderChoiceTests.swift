#if Everything
import Foundation
import TestSupport
import XCTest

/// Which of several definitions a traced program calls: the loader's choice, which it makes for all
/// functions at once where it must bind them early.
final class LoaderChoiceTests: XCTestCase {
  func testATracedProgramCallsWhatTheLoaderWouldChoose() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let objects = try DefiningObjects(self)
    let own = objects.functions.map { "f\($0)" }
    for arrangement in DefiningObjects.arrangements {
      let environment = objects.environment(arrangement)
      let words = objects.words(arrangement)
      let chosen = try CommandLineTool.run(
        Array(words.dropFirst()), environment: environment.merging(["LD_BIND_NOW": "1"]) { $1 },
        executable: URL(fileURLWithPath: words[0]))
      XCTAssertEqual(chosen.status, 0, "\(arrangement.name): \(chosen.errors)")
      XCTAssertFalse(chosen.output.isEmpty, arrangement.name)

      let file = "\(objects.files.directory)/\(arrangement.name).json"
      let traced = try CommandLineTool.run(
        ["trace", "--quiet", "--json", file] + own.flatMap { ["--function", "\($0)=i"] } + ["--"]
          + words, environment: environment)
      XCTAssertEqual(traced.status, 0, "\(arrangement.name): \(traced.errors)")
      let lines = [traced, chosen].map { $0.output.split(separator: "\n") }
      XCTAssertEqual(lines[0].count, lines[1].count, arrangement.name)
      let differences = zip(lines[0], lines[1]).filter { $0 != $1 }.map { "\($0), not \($1)" }
      XCTAssertEqual(differences, [], arrangement.name)

      let rows = Set(try TracedRow.rows(inFile: file).map(\.name))
      XCTAssertFalse(rows.isEmpty, arrangement.name)
      // What the program is linked with is there when the functions are looked for.
      if arrangement.opened.isEmpty { XCTAssertEqual(rows, Set(own), arrangement.name) }
    }
  }
}

/// A program and libraries that define the same functions in all ways, by chance.
private struct DefiningObjects {
  /// How the objects come together: which are preloaded, and which are opened after that, in which
  /// modes; the last one that is opened makes the calls.
  struct Arrangement {
    let name: String
    var program = "linked_program"
    var preloaded: [String] = []
    var opened: [String] = []
    var weakGiveWay = false
  }

  static let arrangements = [
    Arrangement(name: "linked"),
    Arrangement(name: "stubs", program: "stubs_program"),
    Arrangement(name: "stubs-preloaded", program: "stubs_program", preloaded: ["wrapper"]),
    Arrangement(name: "preloaded", preloaded: ["wrapper", "bare"]),
    Arrangement(name: "opened", opened: ["l:client"]),
    Arrangement(name: "opened-under-preloaded", preloaded: ["wrapper"], opened: ["l:client"]),
    Arrangement(name: "opened-after-global", opened: ["g:wrapper", "g:bare", "l:client"]),
    Arrangement(name: "deep-bound", preloaded: ["bare"], opened: ["g:wrapper", "d:client"]),
    Arrangement(name: "dependency", opened: ["g:bare", "l:root"]),
    Arrangement(name: "deep-bound-dependency", preloaded: ["wrapper"], opened: ["d:root"]),
    Arrangement(name: "global-dependency", opened: ["g:root"]),
    Arrangement(
      name: "made-global-later", opened: ["l:wrapper", "l:client", "g:wrapper", "l:client"]),
    Arrangement(name: "two-roots", opened: ["l:client", "l:root"]),
    Arrangement(name: "symbolic", preloaded: ["wrapper"], opened: ["l:symbolic"]),
    Arrangement(name: "weak", preloaded: ["wrapper", "bare"], weakGiveWay: true),
    Arrangement(
      name: "weak-opened", preloaded: ["bare"], opened: ["g:wrapper", "l:root"], weakGiveWay: true),
  ]

  /// How an object defines a function: the versions, the hidden ones with a minus, the default one
  /// with a plus, and an empty word for none.
  private static let definitions: [[String]] = [
    [], [""], ["-V1"], ["+V1"], ["-V2"], ["+V2"], ["-V1", "+V2"], ["+V1", "-V2"], ["", "-V1"],
    ["", "-V2"], ["-V1", "-V2"],
  ]

  let files: CompiledFiles
  let functions = Array(0..<24)
  private var generator = SeededGenerator(seed: 44)
  private var count = 0

  init(_ test: XCTestCase) throws {
    files = try CompiledFiles(test)
    _ = try files.write("versions", Array("V1 { }; V2 { };".utf8))
    // Clients are linked with a library that defines all versions, or has functions without one.
    let every = functions.map { $0 % 3 == 2 ? [""] : ["-V1", "+V2"] }
    try library("base", every)
    try library("linked", functions.map { _ in definition() })
    try library("wrapper", functions.map { _ in definition() })
    try library("bare", functions.map { _ in Bool.random(using: &generator) ? [""] : [] })
    // The client exports functions of its own, too, and calls them through slots.
    let client = functions.map { $0 % 8 == 7 ? definition() : [] }
    for (name, options) in [("client", []), ("symbolic", ["-Wl,-Bsymbolic"])] {
      try library(
        name, client, calls(from: name), ["-llinked", "-lbase"],
        ["-Wl,--no-as-needed"] + options)
    }
    try library(
      "root", functions.map { _ in definition() },
      "extern void call_client(void); void call_root(void) { call_client(); }",
      ["-lwrapper", "-lclient"], ["-Wl,--no-as-needed"])
    try program()
    // At run time, some of those have versions.
    try library("base", functions.map { $0 % 6 == 2 ? ["-V1", "+V2"] : every[$0] })
  }

  func environment(_ arrangement: Arrangement) -> [String: String] {
    let paths = arrangement.preloaded.map { path($0) }
    let weak = arrangement.weakGiveWay ? ["LD_DYNAMIC_WEAK": "1"] : [:]
    return weak.merging(
      paths.isEmpty ? [:] : ["LD_PRELOAD": paths.joined(separator: ":")]
    ) { $1 }
  }

  func words(_ arrangement: Arrangement) -> [String] {
    guard !arrangement.opened.isEmpty else { return ["\(files.directory)/\(arrangement.program)"] }
    let opened = arrangement.opened.map { word in
      let parts = word.split(separator: ":")
      return "\(parts[0])\(path(String(parts[1])))"
    }
    let last = arrangement.opened.last?.split(separator: ":").last ?? ""
    return ["\(files.directory)/opening_program", "call_\(last)"] + opened
  }

  private func path(_ name: String) -> String { "\(files.directory)/lib\(name).so" }

  private mutating func definition() -> [String] {
    Self.definitions.randomElement(using: &generator) ?? []
  }

  /// Code of an object that defines functions, each of which returns a number of its own.
  private mutating func source(_ definitions: [[String]]) -> String {
    var lines: [String] = []
    for (function, versions) in zip(functions, definitions) {
      for version in versions {
        count += 1
        let name = version.isEmpty ? "f\(function)" : "f\(function)_\(count)"
        let weak = Bool.random(using: &generator) ? "__attribute__((weak)) " : ""
        lines.append("\(weak)int \(name)(void) { return \(count); }")
        guard !version.isEmpty else { continue }
        let joint = version.hasPrefix("+") ? "@@" : "@"
        lines.append(
          #"__asm__(".symver \#(name), f\#(function)\#(joint)\#(version.dropFirst())");"#)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Code that calls all functions by some version or none, also by their addresses, and prints what
  /// they return.
  private func calls(from name: String) -> String {
    let references = functions.map { function in
      let version = [
        #"__asm__(".symver f\#(function), f\#(function)@V1");"#,
        #"__asm__(".symver f\#(function), f\#(function)@V2");"#, "",
      ][function % 3]
      return "extern int f\(function)(void); \(version)"
    }
    let printing = functions.map {
      #"address = f\#($0); printf("f\#($0) %d %d\n", f\#($0)(), address());"#
    }
    return """
      #include <stdio.h>
      \(references.joined(separator: "\n"))
      void call_\(name)(void) {
        int (*volatile address)(void);
        \(printing.joined(separator: "\n"))
        fflush(stdout);
      }
      """
  }

  /// Makes a library; one that is only bare definitions has no versions.
  private mutating func library(
    _ name: String, _ definitions: [[String]], _ code: String = "", _ libraries: [String] = [],
    _ options: [String] = []
  ) throws {
    let more = try files.write("\(name)_code.c", Array(code.utf8))
    let script =
      name == "bare" ? [] : ["-Wl,--version-script,\(files.directory)/versions"]
    _ = try files.compile(
      "lib\(name).so",
      [
        "-shared", "-fPIC", "-fuse-ld=lld", "-w", "-Wl,-z,lazy", "-Wl,-soname,lib\(name).so",
        "-Wl,-rpath,$ORIGIN", "-L\(files.directory)",
      ] + script + options, source: source(definitions), libraries: [more] + libraries)
  }

  /// Makes programs that make the calls themselves, and one that opens libraries, which defines
  /// functions, too.
  private mutating func program() throws {
    let options = [
      "-fuse-ld=lld", "-w", "-Wl,-z,lazy", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)",
      "-Wl,--no-as-needed", "-rdynamic",
    ]
    _ = try files.compile(
      "linked_program", options,
      source: calls(from: "program") + "\nint main(void) { call_program(); return 0; }",
      libraries: ["-llinked", "-lbase"])
    // The addresses of functions are those of its own stubs, for the client too.
    _ = try files.compile(
      "stubs_program", options + ["-no-pie", "-fno-pie"],
      source: calls(from: "program")
        + "\nvoid call_client(void); int main(void) { call_program(); call_client(); return 0; }",
      libraries: ["-lclient", "-llinked", "-lbase"])
    let defined = source(functions.map { $0 % 6 == 5 ? [""] : [] })
    _ = try files.compile(
      "opening_program", options,
      source: """
        #include <dlfcn.h>
        #include <stdio.h>
        \(defined)
        int main(int count, char **words) {
          void *last = NULL;
          for (int index = 2; index < count; index++) {
            char mode = words[index][0];
            int scope = mode == 'g' ? RTLD_GLOBAL : mode == 'd' ? 8 : RTLD_LOCAL;
            last = dlopen(words[index] + 1, RTLD_LAZY | scope);
            if (!last) { fputs(dlerror(), stderr); return 1; }
          }
          void (*call)(void) = (void (*)(void))dlsym(last, words[1]);
          if (!call) { fputs(dlerror(), stderr); return 1; }
          call();
          return 0;
        }
        """)
  }
}
#endif
