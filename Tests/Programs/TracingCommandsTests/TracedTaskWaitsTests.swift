#if Everything
import Foundation
import TestSupport
import XCTest

/// What the documents of a trace tell of the waits of Swift tasks, and of who ended them.
final class TracedTaskWaitsTests: XCTestCase {
  private typealias Document = [String: Any]

  /// The parts of tasks in a trace of `resumed.swift`, which never ends.
  private func parts(_ options: [String]) throws -> [Document] {
    try XCTSkipIf(isEmulated, "an interruption ends the emulator of hook-demo")
    let program = try TracedProgram(self, file: "resumed.swift", options)
    let file = NSTemporaryDirectory() + "waits-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    _ = try program.errors(["--quiet", "--json", file]) { $0.contains("closure #2") }
    return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Document
    }.filter { $0["suspension"] != nil || $0["actor"] != nil }
  }

  private func check(_ options: [String]) throws {
    let parts = try parts(options)
    let functions = parts.compactMap { part -> [String]? in
      (part["waitsFor"] as? Document)?["functions"] as? [String]
    }
    XCTAssertTrue(functions.contains { $0.first == "Inbox.next" }, "\(functions)")
    let resumptions = parts.compactMap { $0["resumedBy"] as? Document }
    // A task resumes the letter's continuation, and a thread without a task the other one.
    let stacks = resumptions.map { $0["stack"] as? [String] ?? [] }
    XCTAssertTrue(stacks.contains { $0.first == "Inbox.deliver" }, "\(stacks)")
    let posts = Set(
      parts.compactMap { $0["task"] as? Document }.filter { $0["name"] as? String == "post" }
        .compactMap { $0["id"] as? Int })
    XCTAssertEqual(posts.count, 1)
    let resumers = resumptions.map { $0["task"] as? Int }
    XCTAssertEqual(Set(resumers), [posts.first, nil], "\(resumptions)")
    let actors = parts.compactMap { ($0["actor"] as? Document)?["type"] as? String }
    XCTAssertTrue(Set(actors).isSuperset(of: ["Inbox", "MainActor"]), "\(actors)")
  }

  func testAnOptimisedProgramTellsWhoResumesItsTasks() throws { try check(["-O"]) }

  func testAnUnoptimisedProgramTellsWhoResumesItsTasks() throws { try check(["-Onone"]) }
}
#endif
