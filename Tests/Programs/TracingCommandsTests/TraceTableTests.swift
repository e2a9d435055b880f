#if Everything
import TestSupport
import XCTest

/// What the limits of `hook-demo trace` select, and what its tables add up.
final class TraceTableTests: XCTestCase {
  private static let source = #"""
    #include <dispatch/dispatch.h>
    #include <stdatomic.h>
    #include <unistd.h>
    static dispatch_queue_t first, second, third;
    static atomic_int calls;
    static void nap(void) { usleep(60000); }
    __attribute__((noinline)) static void slow(void) { dispatch_async(first, ^{ nap(); calls++; }); }
    __attribute__((noinline)) static void behind(void) { dispatch_async(first, ^{ calls++; }); }
    __attribute__((noinline)) static void held(void) { dispatch_sync(second, ^{ nap(); calls++; }); }
    __attribute__((noinline)) static void outer(void) {
      dispatch_sync(second, ^{ dispatch_sync(third, ^{ nap(); calls++; }); calls++; });
    }
    __attribute__((noinline)) static void often(void) { dispatch_sync(third, ^{ calls++; }); }
    int main(void) {
      first = dispatch_queue_create("first", NULL);
      second = dispatch_queue_create("second", NULL);
      third = dispatch_queue_create("third", DISPATCH_QUEUE_CONCURRENT);
      slow(); behind();
      dispatch_sync(first, ^{ calls++; });
      held(); outer();
      for (int round = 0; round < 7; round++) often();
      return calls == 13 ? 0 : 1;
    }
    """#

  /// The names of the calls' blocks, by the functions that send them.
  private func names(_ options: [String]) throws -> [String] {
    let run = try TracedProgram(self, c: Self.source).trace(options)
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    return run.rows.filter { !$0.isWait }.map { row in
      String(row.name.dropFirst(2).prefix { $0 != "_" })
        + (row.name.hasSuffix("_2") ? " inside" : "")
    }.sorted()
  }

  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the program's times are real, and emulation is slow")
  }

  func testLimitsSelectCalls() throws {
    let slow = try names(["--slower-than", "50ms"])
    XCTAssertEqual(slow, ["held", "outer", "outer inside", "slow"])
    let late = try names(["--waited-longer-than", "40ms"])
    XCTAssertEqual(late, ["behind", "main"])
    // `slow` keeps another thread.
    let main = try names(["--main-blocked", "50ms"])
    XCTAssertEqual(main, ["held", "outer", "outer inside"])
    let either = try names(["--main-blocked", "50ms", "--waited-longer-than", "40ms"])
    XCTAssertEqual(either, ["behind", "held", "main", "outer", "outer inside"])
    let none = try names(["--slower-than", "100s"])
    XCTAssertEqual(none, [])
    let all = try names(["--slower-than", "0ns"])
    XCTAssertEqual(all.count, 13)
  }

  func testTimesHaveUnits() throws {
    for time in ["0.05s", "50ms", "50000us", "50000µs", "50000000ns", "5e1ms"] {
      let slow = try names(["--slower-than", time])
      XCTAssertEqual(slow.count, 4, time)
    }
    let times = ["50", "ms", "50m", "-1ms", "nanms", "infs", "1e40s", "", "5 0ms", "50msec"]
    for option in ["--slower-than", "--waited-longer-than", "--main-blocked"] {
      for time in times {
        let outcome = try CommandLineTool.run(["trace", "\(option)=\(time)", "--", "true"])
        XCTAssertEqual(outcome.status, 64, "\(option) \(time): \(outcome.errors)")
      }
    }
    XCTAssertEqual(try CommandLineTool.run(["trace", "--sort", "size", "--", "true"]).status, 64)
  }

  // MARK: Tables

  /// The rows of the tables, each as its cells, without headings.
  private func tables(_ sort: String) throws -> [[[String]]] {
    let program = try TracedProgram(self, c: Self.source)
    // Limits are for what is shown, and not for the tables.
    let run = try program.trace(["--summary", "--sort", sort, "--slower-than", "100s"])
    XCTAssertEqual(run.rows.count, 0)
    XCTAssertTrue(
      run.outcome.errors.contains(
        /\nthe trace: 13 calls, \d+ waits; 13 sent to queues, none lost; it lasted \d/),
      run.outcome.errors)
    let blocks = run.outcome.errors.components(separatedBy: "\n\n")
    return blocks.map { block in
      block.split(separator: "\n").dropFirst().map {
        $0.split(separator: " ").map(String.init)
      }
    }
  }

  /// A number of a row.
  private func number(_ rows: [[String]], _ name: String, _ column: Int) throws -> Double {
    let row = try XCTUnwrap(rows.first { $0.last == name }, name)
    return try XCTUnwrap(Double(row[column]))
  }

  func testTablesAddUp() throws {
    let tables = try tables("total")
    XCTAssertGreaterThanOrEqual(tables.count, 4, "\(tables)")
    let (calls, queues, waits) = (tables[0], tables[1], tables[2])
    let outer = "__outer_block_invoke"
    XCTAssertEqual(try number(calls, "__often_block_invoke", 0), 7)
    // The outer one's time is that of the inner one.
    XCTAssertGreaterThanOrEqual(try number(calls, outer, 1), 60)
    XCTAssertLessThan(try number(calls, outer, 2), 30)
    XCTAssertGreaterThanOrEqual(try number(calls, outer + "_2", 2), 60)
    // Mean, p99 and longest, in microseconds, of one call.
    XCTAssertGreaterThanOrEqual(try number(calls, outer, 3), 60_000)
    XCTAssertGreaterThanOrEqual(try number(calls, outer, 5), 60_000)
    // How long the second block waited behind the first.
    XCTAssertGreaterThanOrEqual(try number(calls, "__behind_block_invoke", 8), 40_000)
    let first = try XCTUnwrap(queues.first { $0.contains("first") })
    XCTAssertEqual(first[0], "3")
    XCTAssertEqual(first.suffix(2), ["first", "(serial)"])
    // Two waited while the first ran, if that had begun; one ran at a time.
    XCTAssertTrue(["2", "3"].contains(first[7]), first[7])
    XCTAssertEqual(first[8], "1")
    // The share of the trace in which it ran.
    XCTAssertTrue((1...100).contains(try XCTUnwrap(Int(first[2]))), first[2])
    let third = try XCTUnwrap(queues.first { $0.contains("third") })
    XCTAssertEqual(third.suffix(2), ["third", "(concurrent)"])
    XCTAssertEqual(third[0], "8")
    let wait = try XCTUnwrap(waits.first { $0.contains("first") })
    XCTAssertEqual(wait.suffix(3), ["dispatch_sync", "for", "first"])
    XCTAssertEqual(wait[0], "1")
  }

  func testTheCallsThatWaitedLongestAreToldApartWithTheirSendersAndWhatWasInTheirWay() throws {
    let program = try TracedProgram(self, c: Self.source)
    let tables = try tables("wait").map { rows in rows.map { $0.joined(separator: " ") } }
    XCTAssertGreaterThanOrEqual(tables.count, 5, "\(tables)")
    let (waits, runs) = (tables[3], tables[4])
    XCTAssertGreaterThanOrEqual(waits.count, 2, "\(waits)")
    let behind = try XCTUnwrap(waits.first { $0.contains("__behind_block_invoke") })
    XCTAssertTrue(
      behind.contains(" on first, sent by behind, behind __slow_block_invoke"), behind)
    XCTAssertTrue(behind.contains(" ms, sent by slow"), behind)
    let main = try XCTUnwrap(waits.first { $0.contains("__main_block_invoke") })
    XCTAssertTrue(
      main.contains(" on first, sent by main, behind __slow_block_invoke ("), main)
    XCTAssertTrue(main.hasSuffix(") and 1 other call"), main)
    XCTAssertGreaterThanOrEqual(runs.count, 4, "\(runs)")
    XCTAssertTrue(runs.allSatisfy { $0.contains(", sent by ") }, "\(runs)")
    let lines = try CommandLineTool.run([
      "trace", "--waited-longer-than", "40ms", "--", program.path,
    ]).errors
    XCTAssertTrue(
      lines.contains(
        /\[first, sent by behind, waited \d+\.\d+ ms behind __slow_block_invoke\]\n/), lines)
  }

  func testTablesAreSorted() throws {
    for (sort, column) in [("total", 1), ("own", 2), ("longest", 5), ("calls", 0)] {
      let calls = try tables(sort)[0]
      let numbers = calls.compactMap { Double($0[column]) }
      XCTAssertEqual(numbers.count, 7, sort)
      XCTAssertEqual(numbers, numbers.sorted(by: >), sort)
    }
    let waited = try tables("wait")[0][0].last
    XCTAssertTrue(["__behind_block_invoke", "__main_block_invoke"].contains(waited))
    let names = try tables("name")[0].compactMap(\.last)
    XCTAssertEqual(names, names.sorted())
    XCTAssertEqual(names.count, 7)
  }
}
#endif
