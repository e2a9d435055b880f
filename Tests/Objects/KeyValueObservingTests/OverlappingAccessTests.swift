import KeyValueObserving
import TestSupport
import XCTest

/// Properties that are changed while another one is changed in place: what reads that one waits for
/// its end.
final class OverlappingAccessTests: XCTestCase {
  private final class Team: KeyValueObservable {
    @Observed var todo = ["a", "b"]
    @Observed var done: [String] = []
    var total: String { "\(todo.count)+\(done.count)" }
  }

  private let team = Team()
  private let calls = Recorder<String>()

  private func observe(_ options: ObservingOptions = [.old, .new, .prior]) {
    team.observe(\.done, options: .new) { [calls] _, change in
      calls.record("done \(change.new ?? [])")
    }
    team.observe(\.total, options: options) { [calls] _, change in
      let (old, new) = (change.old ?? "none", change.new ?? "none")
      calls.record(change.isPrior ? "total will: \(old)" : "total \(old) \(new)")
    }
  }

  private func move() {
    team.todo.removeAll { text in
      guard text == "a" else { return false }
      team.done.append(text)
      return true
    }
  }

  func testAComputedPropertyIsToldWhenTheAccessEnds() {
    observe()
    move()
    XCTAssertEqual(calls.entries, ["total will: 2+0", "done [\"a\"]", "total 2+0 1+1"])
    team.done.append("c")
    XCTAssertEqual(
      calls.entries.dropFirst(3), ["total will: 1+1", "done [\"a\", \"c\"]", "total 1+1 1+2"])
  }

  func testTwoPropertiesAreExchanged() {
    observe()
    swap(&team.todo, &team.done)
    XCTAssertEqual(team.total, "0+2")
    // However many accesses there are: the value before the first, and the value after the last.
    XCTAssertEqual(calls.entries.filter { $0.hasPrefix("total") }.first, "total will: 2+0")
    XCTAssertEqual(calls.entries.filter { $0.hasPrefix("total") }.last, "total 2+0 0+2")
  }

  func testATransactionTellsOnceOfAMove() {
    observe([.old, .new])
    withChangeTransaction { move() }
    XCTAssertEqual(calls.entries.sorted(), ["done [\"a\"]", "total 2+0 1+1"])
  }

  func testTheCollectionItselfIsAnAccessToo() {
    observe()
    team.$todo.mutate { todo in
      team.done.append(todo.removeFirst())
      todo.append("z")
    }
    XCTAssertEqual(calls.entries.last, "total 2+0 2+1")
  }
}
