import Foundation
import TestSupport
import XCTest

/// Hardened and poor environments, each in a process of its own: things work or say why not.
final class EnvironmentTests: XCTestCase {
  private static let works = [
    "call a block: works", "call a function: works", "hook a heap block: works",
    "hook a global block: works", "make a function pointer: works",
  ]

  private enum Engine: String {
    case plans, libffi
  }

  /// Runs the probe in an environment; if libffi was built with static trampolines, it may print the
  /// other lines.
  private func expect(
    _ environment: String, by engine: Engine, with variables: [String: String] = [:],
    _ lines: [String], orWithStaticTrampolines others: [String]? = nil, line: UInt = #line
  ) throws {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = own.deletingLastPathComponent().appendingPathComponent(
      "EnvironmentProbe")
    process.arguments = [environment]
    process.environment = ProcessInfo.processInfo.environment.merging(
      variables.merging(["BLOCKRUNTIME_ENGINE": engine.rawValue]) { $1 }
    ) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let output = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    XCTAssertEqual(process.terminationReason, .exit, line: line)
    XCTAssertEqual(process.terminationStatus, 0, line: line)
    if output.first?.hasPrefix("unsupported") ?? false {
      throw XCTSkip("the kernel does not offer this environment: \(output)")
    }
    XCTAssertEqual(output, output == others ? others : lines, line: line)
  }

  func testEverythingWorksInAnOrdinaryProcess() throws {
    try expect("plain", by: .plans, ["support: available"] + Self.works)
    try expect("plain", by: .libffi, ["support: available"] + Self.works)
  }

  func testClosuresOfTheMainActorRunWhereAWorkerRunsTheMainQueue() throws {
    try expect("main queue", by: .plans, ["hook: 1", "calls: 112", "elsewhere: refused"])
  }

  func testEverythingWorksWhereTheAssemblyRunsNoHandlers() throws {
    try XCTSkipIf(isSanitized, "no assembly runs handlers here")
    try expect(
      "general way", by: .plans, ["assembly: true", "support: available"] + Self.works)
    try expect(
      "general way", by: .plans, with: ["BLOCKRUNTIME_CALLS": "general"],
      ["assembly: false", "support: available"] + Self.works)
  }

  func testEverythingWorksWithoutMemoryThatIsWritableAndExecutable() throws {
    let environment = "no write and execute"
    let unshared = ["support: available"] + Self.works + ["shared code: false"]
    try expect(environment, by: .plans, unshared)
    try expect(
      environment, by: .libffi,
      ["support: availableUntilFork"] + Self.works + ["shared code: true"],
      orWithStaticTrampolines: unshared)
  }

  func testWithoutExecutableMemoryOnlyFunctionPointersAreRefused() throws {
    let calls = ["support: refused", "call a block: works", "call a function: works"]
    // A global block's page cannot be opened: the process may not read its own mappings.
    try expect(
      "no executable memory", by: .plans,
      calls + [
        "hook a heap block: works", "hook a global block: protectedMemory",
        "make a function pointer: noExecutableMemory",
      ])
    try expect(
      "no executable memory", by: .libffi,
      calls + [
        "hook a heap block: noExecutableMemory", "hook a global block: protectedMemory",
        "make a function pointer: noExecutableMemory",
      ])
  }

  func testWithoutFileDescriptorsOnlyProtectedBlocksAreRefused() throws {
    for engine in [Engine.plans, .libffi] {
      try expect(
        "no descriptors", by: engine,
        [
          "support: available", "call a block: works", "call a function: works",
          "hook a heap block: works", "hook a global block: protectedMemory",
          "make a function pointer: works",
        ])
    }
  }

  func testWithoutRoomForMappingsMakingCodeIsRefusedAndTheRestWorks() throws {
    try XCTSkipIf(isSanitized, "sanitizers need mappings of their own")
    try XCTSkipIf(isEmulated, "QEMU does not limit mappings")
    let rest = ["call a block: works", "hook a heap block: works"]
    try expect("no mappings", by: .plans, ["make a function pointer: works"] + rest)
    try expect(
      "no mappings", by: .libffi,
      ["make pointers until it is refused: noExecutableMemory"] + rest)
  }

  func testATimerWhoseThreadCannotBeStartedTriesAgainWithTheNextBlock() throws {
    try XCTSkipIf(isSanitized, "sanitizers need memory that the test denies")
    try XCTSkipIf(isEmulated, "QEMU does not limit memory")
    try expect(
      "no threads", by: .plans, ["without a thread: timedOut", "with a thread: ran, ran"])
  }

  func testAForkedChildHasEverything() throws {
    for engine in [Engine.plans, .libffi] {
      try expect(
        "fork", by: engine,
        ["support: available"] + Self.works + ["child: 0", "parent: 137", "support: available"]
          + Self.works)
    }
  }

  func testAHandlerOfForksMayBeTheFirstOfItsThreadToMakeAHookedCall() throws {
    try XCTSkipIf(isSanitized, "sanitizers end the children of programs with threads")
    for engine in [Engine.plans, .libffi] {
      try expect("fork on a new thread", by: engine, ["status: 7", "calls: 1"])
    }
  }

  func testWaitingNeedsNoBarrierThatTheKernelTakesBack() throws {
    try XCTSkipIf(isSanitized, "there calls order themselves")
    try expect("barriers denied later", by: .plans, ["waited: true", "again: 3"])
  }

  func testTheEndOfAThreadEndsItsCallsWhereMessagesAreAllThatIsSent() throws {
    try expect("end inside of a message", by: .plans, ["inside: 1", "behind: 0"])
  }

  func testAChildThatSharesItsParentsCodeIsRefusedMoreOfIt() throws {
    let environment = "fork without write and execute"
    let everything =
      ["support: available"] + Self.works + ["child: 0", "parent: 137", "support: available"]
      + Self.works + ["shared code: false"]
    try expect(environment, by: .plans, everything)
    try expect(
      environment, by: .libffi,
      [
        "support: refused", "call a block: works", "call a function: works",
        "hook a heap block: noExecutableMemory", "hook a global block: noExecutableMemory",
        "make a function pointer: noExecutableMemory", "child: 0", "parent: 137",
        "support: availableUntilFork",
      ] + Self.works + ["shared code: true"], orWithStaticTrampolines: everything)
  }
}
