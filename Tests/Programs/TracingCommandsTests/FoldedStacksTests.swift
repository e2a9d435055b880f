#if Everything
import Foundation
import TestSupport
import XCTest

/// Stacks for flame graphs of a traced program.
final class FoldedStacksTests: XCTestCase {
  private static let source = """
    #include <dispatch/dispatch.h>
    #include <signal.h>
    #include <unistd.h>
    int main(void) {
      dispatch_queue_t first = dispatch_queue_create("first", NULL);
      dispatch_queue_t second = dispatch_queue_create("second", NULL);
      dispatch_sync(first, ^{
        dispatch_sync(second, ^{ });
        dispatch_sync(second, ^{ kill(getpid(), SIGKILL); });
      });
      return 0;
    }
    """

  func testCallsThatDidNotEndStandInsideOfThoseAroundThem() throws {
    let program = try TracedProgram(self, c: Self.source, [])
    let path = NSTemporaryDirectory() + "folded-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let run = try program.trace(["--folded", path])
    XCTAssertEqual(run.outcome.status, 128 + SIGKILL)
    XCTAssertEqual(run.rows.filter { $0.outcome == "unfinished" }.count, 2)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let stacks = lines.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
    for stack in stacks { XCTAssertTrue(stack.hasPrefix("program;main;"), stack) }
    XCTAssertTrue(
      stacks.contains("program;main;__main_block_invoke;__main_block_invoke_3"), "\(stacks)")
    let total = lines.compactMap { UInt64($0.split(separator: " ").last ?? "") }.reduce(0, +)
    XCTAssertEqual(total, run.rows.filter { $0.depth == 0 }.map(\.duration).reduce(0, +))
  }
}
#endif
