#if Macros
import Foundation
import TestSupport
import XCTest

/// The page of the module says what the module has, and shows the example.
final class MacroPageTests: XCTestCase {
  private static let folder = PackageFiles.folder(of: "MessageMacros")

  private func text(_ file: String) throws -> String { try PackageFiles.text(file) }

  private func page() throws -> String {
    try text("\(Self.folder)/MessageMacros.docc/MessageMacros.md")
  }

  /// Documents whose programs use macros: the tests of documents leave those out.
  private static let documents = [
    "README.md", "\(folder)/MessageMacros.docc/MessageMacros.md",
    "Sources/BlockRuntime/BlockRuntime.docc/PortingFromApple.md",
  ]

  func testProgramsOfDocumentsAreExamplesAndPrintWhatTheDocumentsSay() throws {
    let documents = try Self.documents.map(text)
    let examples = try FileManager.default.contentsOfDirectory(
      atPath: PackageFiles.root.appendingPathComponent("Examples/Macros").path
    ).filter { $0.first?.isUppercase == true && !$0.contains(".") }
    XCTAssertGreaterThan(examples.count, 3)
    for example in examples {
      let source = try text("Examples/Macros/\(example)/main.swift")
      let program = "```swift\n\(source.drop { $0 != "\n" }.dropFirst())```\n"
      let document = try XCTUnwrap(documents.first { $0.contains(program) }, example)
      let printed = try output(of: example)
      XCTAssertTrue(
        document.contains("\(program)\n```\n\(printed)```\n") || example == "FirstMacros", printed)
    }
    let programs = documents.joined().ranges(of: "```swift\nimport MessageMacros\n").count
    XCTAssertEqual(programs, examples.count)
  }

  func testTheForwarderIsHalfAsLongAsThatByHand() throws {
    let lines = try ["Macros/ForwardedProtocol", "ServedProtocol"].map { example in
      try text("Examples/\(example)/main.swift").count { $0 == "\n" }
    }
    XCTAssertLessThan(lines[0] * 10, lines[1] * 6)
  }

  private func output(of example: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(example)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    return printed
  }

  func testEveryPublicNameStandsOnThePage() throws {
    let page = try page()
    let folder = PackageFiles.root.appendingPathComponent(Self.folder).path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let declaration =
      #/^public (?:final )?(?:macro|class|struct|enum|protocol|typealias|func) (\w+)/#
      .anchorsMatchLineEndings()
    var names: Set<Substring> = []
    for file in files where file.hasSuffix(".swift") {
      names.formUnion(
        try text("\(Self.folder)/\(file)").matches(of: declaration).map(\.output.1))
    }
    XCTAssertGreaterThan(names.count, 15)
    for name in names.sorted() {
      XCTAssertTrue(
        page.contains("\n- ``\(name)``\n") || page.contains("\n- ``\(name)("),
        "not among the topics: \(name)")
    }
  }
}
#endif
