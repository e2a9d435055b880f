#if Everything
import Foundation
import TestSupport
import XCTest

/// What a client is told that uses a product without the trait that its code is behind.
final class MissingTraitTests: XCTestCase {
  private static let uses = [
    ("Tracing/TraceLogging", "Logging", "let sink = LogTraceSink(1, level: 2)"),
    ("Tracing/TraceSpans", "Spans", "let hook = HookDefinition.span(\"name\", priority: 1)"),
    ("Tracing/TraceMetrics", "Metrics", "let hook = HookDefinition.timer(label: \"name\")"),
    ("Calls/MemoDatabases", "Database", "let database = try MemoDatabase(at: \"file\")"),
    ("Objects/MessageMacros", "Macros", "@Forwarding protocol Delegate {}"),
    ("Objects/MessageMacros", "Macros", "@Messages class Receiver {}"),
  ]

  func testTheCompilerNamesTheMissingTrait() throws {
    let files = try CompiledFiles(self)
    for (folder, trait, use) in Self.uses {
      // Without the conditions of traits, and as one module with the use.
      let declarations = PackageFiles.root.appendingPathComponent(
        "Sources/\(folder)/MissingTrait.swift")
      let source = "import BlockHooks\nfunc use() throws { \(use) }\n"
      let file = try files.write("Use.swift", Array(source.utf8))
      XCTAssertThrowsError(try BuiltModules().check([declarations.path, file]), use) { error in
        let errors = "\(error)".split(separator: "\n").filter { $0.contains(": error: ") }
        XCTAssertEqual(errors.count, 1, "\(error)")
        XCTAssertTrue(
          errors.first?.contains(
            "is empty without a trait of the package: traits: [\"\(trait)\"]") ?? false, "\(error)")
      }
    }
  }
}
#endif
