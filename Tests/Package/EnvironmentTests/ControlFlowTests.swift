import Foundation
import TestSupport
import XCTest

/// What the objects of assembly promise the loader of processors that check control flow: IBT and
/// shadow stacks on x86-64, BTI and signed return addresses on AArch64.
///
/// No processor is asked: this reads their code.
final class ControlFlowTests: XCTestCase {
  #if arch(arm64)
  private static let folder = "aarch64"
  private static let properties = "BTI, PAC"
  // `paciasp` is a landing pad too.
  private static let pads = ["bti\tc", "paciasp"]
  #else
  private static let folder = "x86_64"
  private static let properties = "IBT, SHSTK"
  private static let pads = ["endbr64"]
  #endif

  private func output(of tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try Compiler(tool).path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, "\(tool) \(arguments)")
    return String(decoding: data, as: UTF8.self)
  }

  private func objects() throws -> [String] {
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let found = FileManager.default.enumerator(atPath: products.path)?.compactMap { $0 as? String }
    return try XCTUnwrap(found).filter { $0.hasSuffix(".S.o") && $0.contains("/\(Self.folder)/") }
      .map { products.appendingPathComponent($0).path }
  }

  /// The functions of an object: their instructions, without operands' comments.
  private func functions(_ object: String) throws -> [(name: String, code: [String])] {
    var functions: [(name: String, code: [String])] = []
    let listing = try output(of: "objdump", ["-d", "--no-show-raw-insn", object])
    for line in listing.split(separator: "\n") {
      if let name = line.firstMatch(of: #/^[0-9a-f]+ <(.+)>:/#) {
        functions.append((String(name.1), []))
      } else if let code = line.firstMatch(of: #/^ *[0-9a-f]+:\t(.+)/#), !functions.isEmpty {
        functions[functions.count - 1].code.append(code.1.trimmingCharacters(in: .whitespaces))
      }
    }
    return functions
  }

  func testObjectsOfAssemblyNoteWhatTheirCodeDoes() throws {
    guard (try? Compiler("objdump")) != nil, (try? Compiler("readelf")) != nil else {
      throw XCTSkip("there are no binutils here")
    }
    let objects = try objects()
    XCTAssertGreaterThan(objects.count, 3)
    for object in objects {
      let notes = try output(of: "readelf", ["-n", object])
      XCTAssertTrue(notes.contains(Self.properties), "\(object): \(notes)")
      let functions = try functions(object)
      XCTAssertFalse(functions.isEmpty, object)
      // That one is only returned to.
      for (name, code) in functions where name != "cbr_opaque_return" {
        let first = try XCTUnwrap(code.first, name)
        XCTAssertTrue(Self.pads.contains(first), "\(name) begins with \(first)")
        #if arch(arm64)
        // Whoever saves the return address has signed it, and checks it before each return.
        guard code.contains(where: { $0.hasPrefix("stp\tx29, x30") }) else { continue }
        XCTAssertTrue(code.contains("paciasp"), name)
        for (place, instruction) in code.enumerated() where instruction == "ret" {
          XCTAssertTrue(code[..<place].suffix(2).contains("autiasp"), "\(name), \(place)")
        }
        #endif
      }
    }
  }
}
