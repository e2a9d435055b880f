#if Everything
import Foundation
import TestSupport
import XCTest

/// A program of Swift that knows nothing of this library: its calls are counted.
final class TracedSwiftProgramTests: XCTestCase {
  private static let source = """
    import Dispatch

    let queue = DispatchQueue(label: "com.example.work", attributes: .concurrent)
    let group = DispatchGroup()
    for _ in 0..<200 { queue.async(group: group) { work() } }
    group.notify(queue: queue) { work() }
    group.wait()
    queue.sync(flags: .barrier) { work() }
    DispatchQueue.concurrentPerform(iterations: 50) { _ in work() }

    let ticks = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { tick() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.resume()
    for _ in 0..<5 { ticks.wait() }
    timer.cancel()

    let item = DispatchWorkItem { work() }
    queue.async(execute: item)
    item.wait()
    print("done")

    @inline(never) func work() {}
    @inline(never) func tick() { ticks.signal() }
    """

  private func calls(_ options: [String]) throws -> (CommandLineTool.Outcome, [[String: Any]]) {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let input = try files.write("main.swift", Array(Self.source.utf8))
    let program = "\(files.directory)/served"
    try Compiler("swiftc").run(["-O", input, "-o", program])
    let file = "\(files.directory)/calls.jsonl"
    let outcome = try CommandLineTool.run(
      ["trace", "--json", file, "--quiet"] + options + ["--", program])
    let calls = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      try CommandLineTool.document(String($0))
    }
    return (outcome, calls)
  }

  func testEveryCallThatTheProgramMakesIsThere() throws {
    let (outcome, calls) = try calls([])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertEqual(outcome.output, "done\n")
    // Where the Dispatch overlay has no symbols, as in Debian's package, its closures have no
    // names, two for each iteration, unless they are named by who sent them.
    let nameless = calls.filter { call in
      call["name"] is NSNull
        && (call["image"] as? String)?.hasSuffix("/libswiftDispatch.so") == true
    }
    let counts = Dictionary(grouping: calls) { $0["name"] as? String ?? "?" }.mapValues(\.count)
    // Group, notification, barrier, concurrentPerform and work item; the timer runs on its own.
    let numbered = (1...6).map { number in
      counts.filter { $0.key.hasPrefix("closure #\(number) ") && $0.key.hasSuffix(" in served") }
        .values.reduce(0, +)
    }
    XCTAssertEqual(numbered[0], 200, "\(counts)")
    XCTAssertEqual(numbered[1], 1, "\(counts)")
    // A `sync` with flags has its closure called by one of the Dispatch overlay's.
    let synchronous = counts.filter { $0.key.hasPrefix("dispatch_barrier_sync block in ") }
    XCTAssertEqual(synchronous.values.reduce(numbered[2], +), 1, "\(counts)")
    if nameless.isEmpty {
      XCTAssertEqual(numbered[3], 50, "\(counts)")
    } else {
      let applied = counts.filter { $0.key.hasPrefix("dispatch_apply block in ") }
      XCTAssertEqual(applied.values.reduce(nameless.count, +), 2 * 50, "\(counts)")
    }
    XCTAssertGreaterThanOrEqual(numbered[4], 5, "\(counts)")
    XCTAssertEqual(numbered[5], 1, "\(counts)")
  }
}
#endif
