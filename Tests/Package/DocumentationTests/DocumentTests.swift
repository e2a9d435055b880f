#if Everything
import Foundation
import TestSupport
import XCTest

/// What the documents show is compiled, run, and compared with what they say.
final class DocumentTests: XCTestCase {
  func testWhatDocumentsShowRunsAsItIsCopiedAndPrintsWhatTheySay() throws {
    try XCTSkipIf(isSanitized, "the programs would need the sanitizer too")
    let files = try CompiledFiles(self)
    let modules = BuiltModules()
    let libraries = try modules.linkLibraries(in: files)
    // `MacroPageTests` check the programs of modules that are not built.
    let programs = try Sources.documents.flatMap(DocumentedProgram.all).filter { program in
      !Sources.unbuiltModules.contains { program.text.contains("import \($0)\n") }
    }
    XCTAssertGreaterThan(programs.count, 25)

    let directory = files.directory
    let failures = Recorder<String>()
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      for (index, program) in programs.enumerated() where index % 2 == worker {
        do {
          try Self.check(program, in: "\(directory)/\(index)", modules, libraries)
        } catch {
          failures.record("\(program.file):\(program.line): \(error)")
        }
      }
    }
    for failure in failures.entries.sorted() { XCTFail(failure) }
  }

  /// Compiles a document, and runs it where it says what it prints.
  private static func check(
    _ program: DocumentedProgram, in directory: String, _ modules: BuiltModules,
    _ libraries: String
  ) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    let file = "\(directory)/main.swift"
    try program.source.write(toFile: file, atomically: false, encoding: .utf8)
    guard program.output != nil else { return try modules.check([file]) }
    if let (line, reason) = program.difference(from: try modules.run(file, with: libraries)) {
      throw CompilerError(description: "\(program.file):\(line): \(reason)")
    }
  }

  func testEverySnippetOfADocumentationCommentCompiles() throws {
    try XCTSkipIf(isSanitized, "the modules are no others under a sanitizer")
    let files = try CompiledFiles(self)
    let context = Sources.root
      .appendingPathComponent(
        "Tests/Package/DocumentationTests/SnippetContext/SnippetContext.swift"
      ).path
    let snippets = try Sources.files(in: "Sources", ending: ".swift").filter(Sources.isBuilt)
      .filter { try !PackageFiles.text($0).hasPrefix("#if Macros\n") }
      .flatMap(CommentSnippet.all)
    XCTAssertGreaterThan(snippets.count, 20)
    let paths = try snippets.enumerated().map { index, snippet in
      try files.write("snippet\(index).swift", Array(snippet.source.utf8), mode: 0o644)
    }
    do {
      try BuiltModules().check([context] + paths)
    } catch {
      XCTFail("\(error)")
    }
  }
}
#endif
