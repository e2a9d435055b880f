import TestSupport
import XCTest

/// Who called the C functions, and waited in those of libdispatch, in real programs.
final class TracedCallersTests: XCTestCase {
  private static let source = """
    import Dispatch
    import Glibc

    struct Gate<Key> {
      let semaphore = DispatchSemaphore(value: 0)
      @inline(never) func pass(_ key: Key) { semaphore.wait() }
    }
    @inline(never) func look(_ name: String) -> Bool { getenv(name) != nil }
    @inline(never) func work() {
      let gate = Gate<Int>()
      DispatchQueue(label: "q").async { gate.semaphore.signal() }
      gate.pass(1)
      let group = DispatchGroup()
      DispatchQueue(label: "r").async(group: group) {}
      group.wait()
      if look("PATH") == look("NO SUCH NAME") { abort() }
    }
    work()
    """

  func testWaitsAndFunctionsHaveTheProgramsFunctionsAsCallersAndStacks() throws {
    let program = try TracedProgram(self, swift: Self.source, ["-Onone"])
    for (options, count) in [([], 1), (["--stacks", "3"], 3)] {
      let run = try program.trace(["--function", "getenv", "--image", "program"] + options)
      XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
      let stacks = [
        ("dispatch_semaphore_wait", ["Gate.pass", "work", "main"]),
        ("dispatch_group_wait", ["work", "main"]), ("getenv", ["look", "work", "main"]),
      ]
      for (name, stack) in stacks {
        let row = try XCTUnwrap(run.rows(named: name).first, name)
        XCTAssertEqual(row.stack.prefix(stack.count), stack.prefix(count), name)
        XCTAssertEqual(row.calledBy, stack[0], name)
        XCTAssertNil(row.enqueuedBy, name)
      }
    }
  }

  func testOneFunctionAloneHasItsCallers() throws {
    let program = try TracedProgram(self, swift: Self.source, ["-Onone"])
    let text = try program.errors(["--function", "getenv", "--image", "program", "--summary"])
    XCTAssertTrue(text.contains(#"getenv("NO SUCH NAME") = null  [called by look]"#), text)
    XCTAssertTrue(text.contains("dispatch_semaphore_wait, called by Gate.pass\n"), text)
  }
}
