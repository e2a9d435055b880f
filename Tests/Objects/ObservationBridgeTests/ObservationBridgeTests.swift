import Foundation
import TestSupport
import XCTest

/// What a program hears that links the bridge; each scenario runs in a process of its own, so that
/// other tests run without the bridge.
final class ObservationBridgeTests: XCTestCase {
  func testTheProgramOfTheTestsIsWithoutTheBridge() {
    // A test target that depends on the probe would link what the probe does.
    XCTAssertNil(_typeByName("17ObservationBridge0A6SystemV"))
  }

  // MARK: Properties of Observation, observed by key path

  func testAnObservablePropertyIsObservedBeforeAndAfterEachChange() throws {
    try expect(
      "property",
      [
        "speed: setting new 0 is 0",
        "speed: prior old 0 is 0", "speed: setting old 0 new 1 is 1",
        "speed: prior old 1 is 1", "speed: setting old 1 new 3 is 3",
        // A change in place whose closure throws.
        "speed: prior old 3 is 3", "speed: setting old 3 new -1 is -1",
        "gear: setting", "gear: setting new 5",
        "removed: true true",
      ])
  }

  func testWhoChangesAPropertyIsNamedAndUnknownWithoutSymbols() throws {
    try expect("origin", ["named in ObservationProbe", "named in ObservationProbe"])
    let stripped = "\(try CompiledFiles(self).directory)/probe"
    let strip = try Process.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      arguments: ["strip", "--strip-all", "-o", stripped, Self.probe.path])
    strip.waitUntilExit()
    XCTAssertEqual(strip.terminationStatus, 0)
    try expect(
      "origin", ["unknown in unknown", "unknown in unknown"],
      of: URL(fileURLWithPath: stripped))
  }

  func testPathsLeadThroughPropertiesOfBothKinds() throws {
    try expect(
      "paths",
      [
        "engine's speed: setting old 0 new 10", "title: setting old car at 0 new car at 10",
        "title: setting old car at 10 new van at 10",
        "engine's speed: setting old 10 new 20", "title: setting old van at 10 new van at 20",
        "engine's speed: setting old 20 new 21", "title: setting old van at 20 new van at 21",
        "engine's speed: setting old 21", "title: setting old van at 21 new van at 0",
      ], sorted: true)
  }

  func testAPathMayComeToPropertiesOfObservationAndLeaveThem() throws {
    try expect(
      "kinds",
      [
        "value: setting old 0 new 1", "value: setting old 1 new 10",
        "value: setting old 10 new 11", "value: setting old 11 new 0",
        "value: setting old 0 new 2", "value: setting old 2 new 12",
        "value: setting old 12 new 13", "value: setting old 13 new 0",
      ])
  }

  func testAPathOfObservedPropertiesIsReadAsWithoutTheBridge() throws {
    try expect("repetition", ["sum: 20100", "allocations: 0"])
  }

  func testAChangeWithinACallIsHeardByOthersAloneOrAsOneWithTheOuterChange() throws {
    try expect(
      "within calls",
      [
        "first: setting old 0 new 1, setting old 1 new 2, setting old 2 new 3",
        "second: [0, 3] true",
      ])
  }

  func testAChangeOfACollectionIsASetting() throws {
    try expect(
      "collection",
      [
        #"parts: setting old [] new ["valve"]"#, #"parts: setting old ["valve"] new ["piston"]"#,
      ])
  }

  func testATransactionIsOneChange() throws {
    try expect("transaction", ["speed: setting old 0 new 2"])
  }

  func testChangesAreAnAsynchronousSequence() throws {
    try expect("changes", ["change: 1", "change: 2"])
  }

  func testAHandlerIsFreedByItsRemovalAndWithItsObject() throws {
    try expect(
      "lifetimes",
      [
        "the removed handler is freed", "removed",
        "the handler that was called is freed", "removed",
        "the engine is gone",
        "the dead engine's handler is freed", "the other engine is gone",
        "the path's handler is freed",
      ])
  }

  // MARK: Observed properties, tracked by Observation

  func testObservationHearsOfTheNextChangeOfWhatItHasRead() throws {
    try expect(
      "tracked properties",
      [
        "score: 0", "score: will change",
        "score: 2", "score: will change",
        "summary: 3 3", "summary: will change",
        "rank: 1", "rank: will change",
        "nothing: 0",
      ])
  }

  func testObservationHearsOfTheDeathOfAWeakPropertysObject() throws {
    try expect(
      "tracked weak reference",
      [
        "has a rival: false", "the rival will change",
        "has a rival: true", "the rival is destroyed", "has a rival: false true",
      ])
  }

  func testObservationHearsOfATransactionOnce() throws {
    try expect("tracked in a transaction", ["the score will change", "the score is 2"])
  }

  func testAClassThatDoesNotConformIsNotTracked() throws {
    try expect("without conformance", ["the score is 1"])
  }

  func testTrackedPropertiesAreObservedByKeyPathOnce() throws {
    try expect(
      "tracked and observed",
      [
        "the summary will change", "summary: setting old 0 3 new 1 3",
        "summary: setting old 1 3 new 1 1",
      ])
  }

  func testObservationsIsASequenceOfTheValues() throws {
    try expect("tracked as a sequence", ["score: 0", "score: 1", "score: 3"])
  }

  func testTheClosuresOfATrackedObjectEndWithIt() throws {
    try expect(
      "tracked lifetimes", ["the closure of a dead object is freed", "the object is gone"])
  }

  // MARK: Both

  func testRandomProgramsAreHeardAsWithObservedProperties() throws {
    try expect("model", ["the models agree: true"])
  }

  func testThreadsMayShareObjectsUnderALock() throws {
    try expect("threads", ["the changes were heard: true"])
  }

  func testAnObserverHearsOfWhatAnotherThreadChangesWhileItIsAdded() throws {
    try expect("changing", ["deaf to a property: 0"], rounds: shortened(500))
  }

  func testAPathFollowsWhatAnotherThreadReplacesWhileItIsRead() throws {
    try expect("replacing", ["deaf to a path: 0"], rounds: shortened(2_000))
  }

  func testAPathHearsItsLastPropertyThoughEveryLevelWasReplacedWhenItHadBeenRead() throws {
    try expect("levels", (0..<4).map { "replaced from read \($0): 7" })
  }

  func testTheLastOfTheChangesOfThreadsIsDeliveredLast() throws {
    try expect("delivering", ["not the last value: 0"], rounds: shortened(1_000))
  }

  func testThePublicInterfaceTellsOfOneChangeAfterwardsOnTheMainThread() throws {
    try expect(
      "public interface",
      [
        "speed will change", "set twice", "speed has changed",
        "nothing is read: true",
        "speed elsewhere will change", "speed elsewhere has changed", "set elsewhere",
      ])
  }

  /// Runs a scenario of the probe, and compares what it prints.
  ///
  /// - Parameters:
  ///   - scenario: The scenario's name.
  ///   - lines: The lines.
  ///   - sorted: Whether the order of the lines is not compared.
  ///   - rounds: The number of the scenario's rounds.
  ///   - line: The test's line.
  /// - Throws: What starting the program does.
  fileprivate static var probe: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("ObservationProbe")
  }

  private func expect(
    _ scenario: String, _ lines: [String], sorted: Bool = false, rounds: Int = 0,
    of program: URL = ObservationBridgeTests.probe, line: UInt = #line
  ) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = [scenario, "\(rounds)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .exit, line: line)
    XCTAssertEqual(process.terminationStatus, 0, line: line)
    let output = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    if sorted { return XCTAssertEqual(output.sorted(), lines.sorted(), line: line) }
    XCTAssertEqual(output, lines, line: line)
  }
}
