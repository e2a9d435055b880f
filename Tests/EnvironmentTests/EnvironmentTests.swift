import Foundation
import TestSupport
import XCTest

/// Hardened and poor environments, each in a process of its own: things work or say why not.
final class EnvironmentTests: XCTestCase {
  private static let works = [
    "call a block: works", "call a function: works", "hook a heap block: works",
    "hook a global block: works",
  ]

  private func expect(
    _ environment: String, _ lines: [String], line: UInt = #line
  ) throws {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = own.deletingLastPathComponent().appendingPathComponent(
      "EnvironmentProbe")
    process.arguments = [environment]
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
    XCTAssertEqual(output, lines, line: line)
  }

  func testEverythingWorksInAnOrdinaryProcess() throws {
    try expect("plain", ["support: available"] + Self.works)
  }

  func testEverythingWorksWithoutMemoryThatIsWritableAndExecutable() throws {
    try expect("no write and execute", ["support: availableUntilFork"] + Self.works)
  }

  func testWithoutExecutableMemoryCallsWorkAndHooksAreRefused() throws {
    try expect(
      "no executable memory",
      [
        "support: refused", "call a block: works", "call a function: works",
        "hook a heap block: outOfMemory", "hook a global block: protectedMemory",
      ])
  }

  func testWithoutFileDescriptorsOnlyProtectedBlocksAreRefused() throws {
    try expect(
      "no descriptors",
      [
        "support: available", "call a block: works", "call a function: works",
        "hook a heap block: works", "hook a global block: protectedMemory",
      ])
  }

  func testWithoutRoomForMappingsMakingCodeIsRefusedAndTheRestWorks() throws {
    try XCTSkipIf(isSanitized, "sanitizers need mappings of their own")
    try expect(
      "no mappings",
      [
        "make pointers until it is refused: noExecutableMemory", "call a block: works",
        "hook a heap block: works",
      ])
  }

  func testAForkedChildHasEverything() throws {
    try expect(
      "fork",
      ["support: available"] + Self.works + ["child: 0", "parent: 137", "support: available"]
        + Self.works)
  }

  func testAChildThatSharesItsParentsCodeIsRefusedMore() throws {
    try expect(
      "fork without write and execute",
      [
        "support: refused", "call a block: works", "call a function: works",
        "hook a heap block: outOfMemory", "hook a global block: outOfMemory", "child: 0",
        "parent: 137", "support: availableUntilFork",
      ] + Self.works)
  }
}
