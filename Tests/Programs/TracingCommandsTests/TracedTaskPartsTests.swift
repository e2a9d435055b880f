#if Everything
import TestSupport
import XCTest

/// What a trace tells of Swift tasks: who created them, their parents, what they ran, and why they
/// ceased.
final class TracedTaskPartsTests: XCTestCase {
  /// The parts of the task that a function creates.
  private func parts(of creator: String, in run: TracedProgram.Run) throws -> [TracedRow] {
    let parts = run.rows.filter { $0.task != nil && $0.shortName == "\(creator) › closure #1" }
    XCTAssertEqual(Set(parts.map(\.task)).count, 1, creator)
    XCTAssertEqual(parts.filter { $0.outcome != "returned" }.count, 0, creator)
    // A task is on one thread at a time, and each part has a reason to end. Where a thread sends the
    // task on, another may begin before the first thread's part has ended.
    for part in parts { XCTAssertNotNil(part.suspension, "\(part)") }
    return parts
  }

  /// Whether Debian's Swift runs the test: it is older, and stands on AArch64.
  private var isDebian: Bool {
    #if compiler(<6.3)
    true
    #else
    isEmulated
    #endif
  }

  private func check(_ options: [String]) throws {
    let run = try TracedProgram(self, swift: TaskProgram.source, options).trace()
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    let creators = [
      "plain", "detached", "named", "waiting", "resumed", "main1", "acting", "grouped", "lets",
      "busy", "cancelled",
    ]
    for creator in creators {
      let parts = try parts(of: creator, in: run)
      XCTAssertEqual(Set(parts.map(\.parent)), [nil], creator)
      // Optimised, the function may be a part of the one that calls it.
      let found = Set(parts.map(\.createdBy))
      XCTAssertTrue(found == [creator] || options != ["-Onone"] && found == ["main"], "\(found)")
      // Each part was sent to a queue, and is matched to that. A task that is resumed before it is
      // suspended goes on without being sent, on the same thread.
      XCTAssertNotNil(parts.first?.waited, creator)
      for (before, part) in zip(parts, parts.dropFirst()) where part.waited == nil {
        XCTAssertEqual(part.thread, before.thread, "\(part)")
      }
      XCTAssertEqual(parts.last?.suspension, "left", creator)
    }
    for (creator, suspension) in [
      ("plain", "continuation"), ("waiting", "task"), ("resumed", "continuation"),
      ("grouped", "group"), ("lets", "task"), ("cancelled", "continuation"),
    ] {
      let reasons = try parts(of: creator, in: run).map(\.suspension)
      // Debian's library has no name of the function that waits for a task.
      let isStripped = isDebian && suspension == "task" && reasons.contains("suspended")
      let isResumedBefore = isDebian && reasons == ["left"]
      XCTAssertTrue(
        creator == "cancelled" || reasons.contains(suspension) || isStripped || isResumedBefore,
        "\(creator) \(reasons)")
    }
    let mainQueues = try parts(of: "main1", in: run).compactMap(\.queue)
    XCTAssertTrue(mainQueues.contains("com.apple.main-thread serial"), "\(mainQueues)")
    XCTAssertEqual(try parts(of: "detached", in: run).map(\.priority), ["background"])
    XCTAssertEqual(Set(try parts(of: "busy", in: run).map(\.priority)), ["utility"])
    #if compiler(>=6.2)
    XCTAssertEqual(Set(try parts(of: "named", in: run).map(\.taskName)), ["the \"named\" one"])
    #endif
    XCTAssertEqual(Set(try parts(of: "plain", in: run).map(\.taskName)), [nil])
    try checkChildren(
      of: "grouped", named: "grouped › closure #1 › closure #1 › closure #1", 3, run)
    try checkChildren(of: "lets", named: "lets › closure #1 › implicit closure #", 2, run)
    // It was busy for five milliseconds three times, and gave up its thread after each.
    let busy = try parts(of: "busy", in: run)
    XCTAssertEqual(busy.count, 4)
    XCTAssertEqual(busy.filter { $0.duration >= 4_900_000 }.count, 3)
    XCTAssertGreaterThan(busy.map(\.duration).reduce(0, +), 14_700_000)
    // What ran is not pending, nor is the timer of the sleep that was cancelled.
    XCTAssertEqual(run.rows.filter { $0.outcome == "pending" }.map(\.name), [])
  }

  private func checkChildren(
    of creator: String, named name: String, _ count: Int, _ run: TracedProgram.Run
  ) throws {
    let parent = try parts(of: creator, in: run).first?.task
    let children = run.rows.filter { $0.parent != nil && $0.parent == parent }
    XCTAssertEqual(Set(children.map(\.task)).count, count, creator)
    XCTAssertEqual(children.filter { !$0.shortName.hasPrefix(name) }.map(\.shortName), [], creator)
    XCTAssertTrue(children.contains { $0.suspension == "continuation" }, creator)
    for child in children {
      XCTAssertTrue(child.createdBy?.hasPrefix("\(creator) › closure #1") == true, "\(child)")
    }
  }

  func testEveryKindOfTaskIsShown() throws { try check(["-Onone"]) }

  func testEveryKindOfTaskIsShownOfOptimisedCode() throws { try check(["-O"]) }
}
#endif
