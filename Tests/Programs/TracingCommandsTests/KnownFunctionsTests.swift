#if Everything
import CommandOptionsAndResults
import Foundation
import Invocations
import SymbolInterposing
import TestSupport
import TypeEncodings
import XCTest

@testable import TracingCommands

/// The declarations of the C library's functions, compared with its headers by the compiler.
final class KnownFunctionsTests: XCTestCase {
  func testEachDeclarationIsThatOfTheHeaders() throws {
    XCTAssertGreaterThanOrEqual(CFunction.knownNames.count, 600)
    let script = try PackageFiles.text("Scripts/known-functions")
    let headers = try XCTUnwrap(script.firstMatch(of: #/headers="([^"]+)"/#)).1
      .split(whereSeparator: \.isWhitespace)
    let table = try PackageFiles.text(
      "Sources/Calls/TypeEncodings/Declarations/KnownFunctions.generated.swift")
    // In parentheses, a name is no macro.
    let declarations = table.split(separator: "\n").filter { $0.hasSuffix(")") }.map {
      $0.replacing(#/\.\.\. .*\)/#, with: "...)")
        .replacing(#/(\w+)\(/#, maxReplacements: 1) { "(\($0.1))(" }
    }
    XCTAssertEqual(declarations.count, CFunction.knownNames.count)
    // A second declaration of another type is an error.
    _ = try CompiledFiles(self).compile(
      "redeclared",
      ["-x", "c", "-c", "-w", "-D_GNU_SOURCE", "-O1", "-D_FORTIFY_SOURCE=2", "-Dstrlen=strlen"],
      source: (headers.map { "#include <\($0).h>" } + declarations.map { "\($0);" }
        + ["int main(void) { return 0; }"]).joined(separator: "\n"))
  }

  func testEachKnownFunctionCanBeCalledAndHooked() throws {
    for name in CFunction.knownNames {
      XCTAssertNoThrow(
        try MethodSignature(
          declaration: KnownFunctions.declaration(of: name, asProgramsCall: false)), name)
      XCTAssertNoThrow(try NamedFunction.known(name), name)
      // Those that print and read by a format say what they pass.
      let settings = try NamedFunction.known(name).map(\.setting)
      XCTAssertEqual(
        settings.first?.hasSuffix("...") ?? false, VariadicFunction.format(of: name) != nil, name)
    }
  }

  func testAKnownNameStandsForTheNamesThatProgramsCall() throws {
    XCTAssertEqual(
      KnownFunctions.aliases(of: "open"), ["open", "open64", "__open_2", "__open64_2"])
    XCTAssertEqual(KnownFunctions.aliases(of: "read"), ["read", "__read_chk"])
    XCTAssertEqual(
      KnownFunctions.aliases(of: "pread"), ["pread", "pread64", "__pread_chk", "__pread64_chk"])
    XCTAssertEqual(
      KnownFunctions.aliases(of: "sscanf"), ["sscanf", "__isoc99_sscanf", "__isoc23_sscanf"])
    XCTAssertEqual(
      try NamedFunction.known("open").map(\.signature),
      [
        "ir*iI", "ir*iI", "ir*i", "ir*i",
      ])
    XCTAssertEqual(try NamedFunction.known("read").map(\.signature), ["qi^vQ", "qi^vQQ"])
    XCTAssertEqual(
      try KnownFunctions.declaration(of: "__isoc99_sscanf", asProgramsCall: false),
      "int __isoc99_sscanf(const char *, const char *, ...)")
  }

  func testNamesOfOneFunctionHaveOneSignature() throws {
    var signatures: [UInt: (name: String, signature: String)] = [:]
    for name in CFunction.knownNames {
      guard let function = try? NamedFunction.known(name).first,
        let address = unsafe dlsym(nil, name).map({ UInt(bitPattern: $0) })
      else { continue }
      let other = signatures.updateValue((name, function.signature), forKey: address)
      XCTAssertEqual(function.signature, other?.signature ?? function.signature, name)
    }
    XCTAssertGreaterThan(signatures.count, 500)
    XCTAssertEqual(try ImportedFunction.known("stat").map(\.symbol), ["stat", "stat64"])
    XCTAssertEqual(try NamedFunction.known("sinf").map(\.name), ["sinf"])
    XCTAssertEqual(try NamedFunction.known("strncpy").first?.signature, "^v^vr^vQ")
  }

  func testAFunctionIsDeclaredByAHeader() throws {
    let directory = try CompiledFiles(self).directory
    let header = "\(directory)/own header.h"
    try """
    struct point { int x, y; };
    _Bool own(const char *name, char *buffer, const unsigned char *bytes, struct point *p, double);
    int further(int, ...);
    static inline int plain(void) { return 1; }
    """.write(toFile: header, atomically: true, encoding: .utf8)
    let rows = [
      ("own", header, "Br*^vr^v^{point=ii}d"), ("plain", header, "i"),
      ("strtol", "stdlib.h", "qr*^*i"), ("tmpnam", "stdio.h", "^v^v"),
      ("strchr", "string.h", "*r*i"), ("sinl", "math.h", "DD"),
    ]
    for (name, header, signature) in rows {
      XCTAssertEqual(try NamedFunction.declared(name, inHeader: header).signature, signature)
    }
    XCTAssertTrue(try NamedFunction.declared("further", inHeader: header).setting.hasSuffix("..."))
    let cases = [
      ("strtool", "stdlib.h", "noHeaderFunction", "strtool"),
      ("own", "no/such/header.h", "noHeaderFunction", "no/such/header.h"),
      ("own; ls", "stdlib.h", "noHeaderFunction", "no function of C"),
      ("own", "stdlib.h>\n#error", "noHeaderFunction", "no function of C"),
    ]
    for (name, header, code, words) in cases {
      XCTAssertThrowsError(try NamedFunction.declared(name, inHeader: header)) { error in
        XCTAssertEqual((error as? Failure)?.code, code)
        XCTAssertTrue("\(error)".contains(words), "\(error)")
      }
    }
  }
}
#endif
