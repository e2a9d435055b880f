#if Everything
import Foundation
import TestSupport
import XCTest

/// The steps of the tutorials show files, whose code is compiled, run, and compared with what the
/// step after it says that it prints.
final class TutorialTests: XCTestCase {
  private static let folder = "Sources/BlockRuntime/BlockRuntime.docc/Tutorials"

  private func text(of file: String) throws -> String {
    try String(contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
  }

  func testTheCodeOfEveryStepCompilesAndPrintsWhatTheTutorialSays() throws {
    try XCTSkipIf(isSanitized, "the programs would need the sanitizer too")
    let files = try CompiledFiles(self)
    let modules = BuiltModules()
    let libraries = try modules.linkLibraries(in: files)
    let steps = Sources.files(in: Self.folder, ending: ".swift")
    XCTAssertGreaterThan(steps.count, 5)
    var compared = 0
    for (index, step) in steps.enumerated() {
      // A program of its own: only a `main.swift` may have statements.
      let directory = "\(files.directory)/\(index)"
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false)
      try text(of: step).write(
        toFile: "\(directory)/main.swift", atomically: false, encoding: .utf8)
      let printed = try modules.run("\(directory)/main.swift", with: libraries)
      guard let promised = try? text(of: step.replacingOccurrences(of: ".swift", with: ".txt"))
      else { continue }
      XCTAssertEqual(printed, promised, step)
      compared += 1
    }
    XCTAssertEqual(compared, 2, "the last program of each section about code")
  }

  func testStepsShowAllFilesOfTheTutorialsAndNoOthers() throws {
    let shown = try Sources.files(in: Self.folder, ending: ".tutorial").flatMap { tutorial in
      try text(of: tutorial).matches(of: /@Code\(name: "[^"]+", file: ([^)]+)\)/)
        .map { String($0.output.1) }
    }
    let code = Sources.files(in: "\(Self.folder)/Code", ending: "")
      .map { URL(fileURLWithPath: $0).lastPathComponent }
    XCTAssertEqual(shown.sorted(), code.sorted())
  }
}
#endif
