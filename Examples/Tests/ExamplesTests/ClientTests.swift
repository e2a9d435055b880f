import XCTest

/// Examples with libraries that know nothing of Swift.
final class ClientTests: XCTestCase {
  func testSwiftClosuresAreSQLitesCallbacks() throws {
    XCTAssertEqual(
      try Example.output(of: "SQLiteFunctions"),
      """
        insert book 1
        insert book 2
        insert book 3
        update book 1
        price(double 10.0, i32 2) = double 10.0
      ["Emma", "10.0"]
        price(double 30.0, i32 1) = double 15.0
      ["Persuasion", "15.0"]
      ["Ulysses", "NULL"]
        summer freed
      ["Persuasion", "27.0"]
      ["Ulysses", "45.0"]
      ["Emma", "9.0"]
        winter freed
        collation freed
      typeMismatch: argument 1: "Emma" cannot be stored as d (double)

      """)
  }

  func testCallbacksWithoutAContextHaveState() throws {
    XCTAssertEqual(
      try Example.output(of: "CallbacksWithState"),
      """
      sorted: Bern, Cairo, Lima, Oslo, Rome
      compared: true
      Rome stands for 1
      walked: 0
      sizes: ["one 1", "three 3", "five 5"]
      removed: true

      """)
  }

  func testAMainLoopOfGLibRunsSwiftClosures() throws {
    XCTAssertEqual(
      try Example.output(of: "MainLoopSource"),
      """
      the loop runs
        source: one
        source: two
        idle
        idle freed
        timeout: 1
        timeout: 2
        timeout: 3
        timeout freed
        source: three
        source: end
        source freed
        idle again
        idle again freed
      the loop has stopped

      """)
  }

  func testBlocksAreHookedWhileLibdispatchHasThem() throws {
    XCTAssertEqual(
      try Example.output(of: "DispatchedBlocks"),
      """
      squares: [1, 4, 9, 16, 25, 36, 10000]
      before the work
        the work of the group
        the group is done
      after the group
      instead of it, and once more:
        the work item
        the work item
      a function on the queue: [1, 2, 3]

      """)
  }

  func testAScriptAndSwiftCallEachOther() throws {
    XCTAssertEqual(
      try Example.output(of: "ScriptedCalculator"),
      """
        script: hello, early bird
        script: add: 3.5
        script: one argument: invalidArguments
        script: divide: 0.25
        script: by zero: unanswered
        script: multiply: unknownHandler
      answered: {count: 3, sum: 6}
      fold: 3.5
      unknownHandler: the script handles no nothing

      """)
  }

  func testScriptedPage() throws {
    XCTAssertEqual(
      try Example.output(of: "ScriptedPage"),
      """
        title: a.example
        title: b.example
      "a.example, loaded at once"
      "b.example, loaded in 2 attempts"
      "that was all"
      c.example, loaded at once; mirror.c.example, loaded in 2 attempts as b.example
      handlerFailed: Error: there is no address
      c.example, loaded at once

      """)
  }
}
