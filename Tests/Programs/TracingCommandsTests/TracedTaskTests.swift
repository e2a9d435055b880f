#if Everything
import Foundation
import TestSupport
import XCTest

/// The tasks of a program of Swift, which are called by the closures that they run.
final class TracedTaskTests: XCTestCase {
  private static let source = """
    actor Store {
      var count = 0
      func update() async {
        await Task { self.count += 1 }.value
        _ = await Task { () -> String in self.count += 1; return "\\(self.count)" }.value
        await withTaskGroup(of: String.self) { group in
          group.addTask { await self.name(1) }
          for await _ in group {}
        }
        try? await withThrowingTaskGroup(of: Int.self) { group in
          group.addTask { try await self.fail() }
          for try await _ in group {}
        }
      }
      func name(_ number: Int) -> String { "\\(number)" }
      func fail() throws -> Int { throw CancellationError() }
    }
    @MainActor final class Model {
      var count = 1
      func load() async {
        await Task { count += 1 }.value
        await Task.detached { @MainActor in self.count += 2 }.value
      }
    }
    @Sendable func work() async {}
    func run(_ body: @escaping @Sendable () async -> Void) async {
      await Task(operation: body).value
      await Task { await body() }.value
    }
    await Store().update()
    await Model().load()
    await run { print("done") }
    await Task(operation: work).value
    """

  private func namesOfTasks(_ option: String) throws -> Set<String> {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let input = try files.write("main.swift", Array(Self.source.utf8))
    let program = "\(files.directory)/tasks"
    try Compiler("swiftc").run([option, input, "-o", program])
    let file = "\(files.directory)/calls.jsonl"
    let outcome = try CommandLineTool.run(["trace", "--json", file, "--quiet", "--", program])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertEqual(outcome.output, "done\ndone\n")
    let calls = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      try CommandLineTool.document(String($0))
    }
    return Set(
      calls.filter { $0["task"] is [String: Any] }.compactMap { $0["shortName"] as? String })
  }

  func testATaskIsNamedByItsClosureBehindThunks() throws {
    let names: Set = [
      "main", "Store.update › closure #1", "Store.update › closure #2",
      "Store.update › closure #3 › closure #1", "Store.update › closure #4 › closure #1",
      "Model.load › closure #1", "Model.load › closure #2", "tasks › closure #1",
      "run › closure #1", "work",
    ]
    // Thunks are generic in the one, and specialized in the other.
    for option in ["-Onone", "-O"] {
      let found = try namesOfTasks(option)
      XCTAssertEqual(found, names, option)
    }
  }
}
#endif
