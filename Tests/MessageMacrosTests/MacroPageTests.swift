#if Macros
import Foundation
import XCTest

/// The page of the module says what the module has, and shows the example.
final class MacroPageTests: XCTestCase {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ file: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
  }

  private func page() throws -> String {
    try text("Sources/MessageMacros/MessageMacros.docc/MessageMacros.md")
  }

  func testThePageShowsTheExampleAndWhatItPrints() throws {
    let source = try text("Examples/ForwardedProtocol/Sources/main.swift")
    let program = source.drop { $0 != "\n" }.dropFirst()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("ForwardedProtocol")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    XCTAssertTrue(try page().contains("```swift\n\(program)```\n\n```\n\(printed)```\n"), printed)
    let longer = try text("Examples/ServedProtocol/main.swift")
    XCTAssertLessThan(source.count { $0 == "\n" } * 10, longer.count { $0 == "\n" } * 6)
  }

  func testEveryPublicNameStandsOnThePage() throws {
    let page = try page()
    let folder = Self.root.appendingPathComponent("Sources/MessageMacros").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let declaration =
      #/^public (?:final )?(?:macro|class|struct|enum|protocol|typealias|func) (\w+)/#
      .anchorsMatchLineEndings()
    var names: Set<Substring> = []
    for file in files where file.hasSuffix(".swift") {
      names.formUnion(
        try text("Sources/MessageMacros/\(file)").matches(of: declaration).map(\.output.1))
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
