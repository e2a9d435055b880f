import Foundation
import Glibc
import ScriptBridge
import XCTest

/// What an engine without memory does, in a process of its own.
final class EngineMemoryTests: XCTestCase {
  private static let variable = "SCRIPT_BRIDGE_MEMORY_TEST"

  func testAMessageThatMemoryIsTooSmallForFailsItsCall() async throws {
    let environment = ProcessInfo.processInfo.environment
    try XCTSkipIf(
      environment["ASAN_OPTIONS"] != nil || environment["TSAN_OPTIONS"] != nil,
      "sanitizers have address spaces of their own")
    if environment[Self.variable] != nil { return try await sendALargeMessage() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath()
    process.arguments = [
      "ScriptBridgeTests.EngineMemoryTests/testAMessageThatMemoryIsTooSmallForFailsItsCall"
    ]
    process.environment = environment.merging([Self.variable: "1"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .exit)
    XCTAssertEqual(process.terminationStatus, 0)
  }

  private func sendALargeMessage() async throws {
    let script = ScriptedBridge()
    let codes = Recorder<ScriptBridgeError.Code?>()
    let failed = expectation(description: "the call fails")
    script.bridge.call("echo", [.string(String(repeating: "x", count: 32 << 20))]) { result in
      if case .failure(let error) = result { codes.record(error.code) }
      failed.fulfill()
    }
    // The message waits, written already, when there is an engine but no script.
    try? await script.bridge.load("(")
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let size = try XCTUnwrap(UInt(pages.prefix { $0 != " " })) * UInt(getpagesize()) + 20 << 20
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    var limit = rlimit()
    // SAFETY: the limit is the test's own.
    XCTAssertEqual(unsafe getrlimit(resource, &limit), 0)
    limit.rlim_cur = rlim_t(size)
    XCTAssertEqual(unsafe setrlimit(resource, &limit), 0)
    try await script.bridge.load(
      "bridge.handle('echo', function (values, answer) { answer(null, values[0]); });")
    await fulfillment(of: [failed], timeout: 60)
    XCTAssertEqual(codes.entries, [.scriptFailed])
    let answer = try await script.bridge.result(of: "echo", ["small"])
    XCTAssertEqual(answer, "small")
  }
}
