import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// What the sender of a message to a proxy hears of the errors of its targets.
final class ProxyErrorTests: XCTestCase {
  /// Every way by which a message gets to a proxy and its answer is ignored.
  private enum Way: CaseIterable {
    case statement, values, invocation, recorded

    func load(_ proxy: MultiTargetProxy) throws {
      switch self {
      case .statement: try proxy.send("didLoad:", Int32(3))
      case .values: try proxy.send("didLoad:", values: [.integer(3)])
      case .invocation:
        let invocation = try XCTUnwrap(try proxy.makeInvocation(of: "didLoad:"))
        try invocation.setArgument(2, Int32(3))
        try invocation.send(to: proxy)
      case .recorded: try proxy.record { try $0.send("didLoad:", Int32(3)) }.send(to: proxy)
      }
    }
  }

  private let policies: [ResultPolicy] = [
    .automatic, .all, .first, .last, .firstNonNil, .any, .allOf,
    .reduce { (first: Int64, _: Int64) in first },
  ]

  func testATypeThatEveryTargetRefusesIsTheSendersErrorAlsoInAStatement() {
    let targets = [Listener("a"), Listener("b")]
    for policy in policies {
      let proxy = MultiTargetProxy(weak: targets) { _, _, _ in }
      proxy.policy = policy
      expect(.typeMismatch, try proxy.send("didLoad:", "3"))
    }
    XCTAssertTrue(targets.allSatisfy { $0.calls.entries.isEmpty })
  }

  func testWhatEveryTargetThrowsIsTheSendersErrorByEveryPolicyAndInEveryWay() throws {
    for policy in policies {
      for way in Way.allCases {
        let calls = Recorder<String>()
        let targets = [Listener("a", calls), Listener("b", calls)]
        defer { withExtendedLifetime(targets) {} }
        for target in targets { target.fails = true }
        let proxy = MultiTargetProxy(weak: targets) { _, _, _ in }
        proxy.policy = policy
        let error = expect(.thrown, try way.load(proxy))
        XCTAssertTrue(error?.underlyingError is PlainError, "\(policy) \(way)")
        XCTAssertEqual(calls.entries.first, "a 3", "\(policy) \(way)")
      }
    }
  }

  func testOneTargetWithoutAnErrorIsEnoughWhereverItStands() throws {
    for index in 0..<3 {
      for way in Way.allCases {
        let calls = Recorder<String>()
        let targets = ["a", "b", "c"].map { Listener($0, calls) }
        defer { withExtendedLifetime(targets) {} }
        for (place, target) in targets.enumerated() { target.fails = place != index }
        let reported = Recorder<Selector>()
        let proxy = MultiTargetProxy(weak: targets) { _, selector, _ in reported.record(selector) }
        try way.load(proxy)
        XCTAssertEqual(calls.entries, ["a 3", "b 3", "c 3"], "\(index) \(way)")
        XCTAssertEqual(reported.entries, ["didLoad:", "didLoad:"], "\(index) \(way)")
      }
    }
  }

  func testTheErrorOfEveryTargetBehindProxiesReachesTheSender() {
    let target = Listener("a")
    target.fails = true
    let inner = MultiTargetProxy(weak: [target]) { _, _, _ in }
    let outer = MultiTargetProxy(weak: [inner], strong: [WeakProxy(target)]) { _, _, _ in }
    for way in Way.allCases { expect(.thrown, try way.load(outer)) }
    withExtendedLifetime((target, inner)) {}
  }

  func testWhatEveryAsyncTargetThrowsIsTheSendersError() async throws {
    final class Failing: MessageReceiver, Sendable {
      func load(_ name: String) async throws { throw PlainError() }
      static var methods: MethodTable {
        MethodTable(Failing.self) { Method("load:", Failing.load) }
      }
    }
    let targets = [Failing(), Failing()]
    for policy in [ResultPolicy.automatic, .all.concurrently, .first, .last] {
      let proxy = MultiTargetProxy(weak: targets, policy: policy) { _, _, _ in }
      do {
        try await proxy.send(async: "load:", "x", returning: Void.self)
        XCTFail("no error")
      } catch { XCTAssertTrue(error.underlyingError is PlainError, "\(error)") }
      do {
        try await proxy.send(async: "load:", 3, returning: Void.self)
        XCTFail("no error")
      } catch { XCTAssertEqual(error.code, .typeMismatch) }
    }
    withExtendedLifetime(targets) {}
  }

  // MARK: - Texts

  func testAnErrorThatNobodyHandlesNamesTheTarget() throws {
    let page = Listener("a")
    let other = Listener("b")
    page.fails = true
    let proxy = MultiTargetProxy(weak: [page, other])
    let text = try standardError { try proxy.send("didLoad:", Int32(3)) }
    XCTAssertEqual(
      text,
      "BlockRuntime: from a target of a proxy (Listener): thrown: `didLoad:`: PlainError()\n")
  }

  func testAMessageThatNoTargetKnowsSuggestsTheSimilarOne() {
    let targets = [Listener("a"), Listener("b"), Listener("c")]
    let add = "add a target that responds, or set ignoresUnrecognized"
    let rows: [([any MessageReceiver], String)] = [
      ([], "didLoda: was sent to a proxy that has no targets; \(add)"),
      (
        [targets[0]],
        "didLoda: was sent to a proxy whose only target, an instance of Listener, does not respond to it; "
          + "did you mean didLoad:? Otherwise \(add)"
      ),
      (
        targets,
        "didLoda: was sent to a proxy none of whose 3 targets responds to it; did you mean didLoad:? "
          + "Otherwise \(add)"
      ),
      (
        [Deaf.classObject],
        "didLoda: was sent to a proxy whose only target, the class Deaf, does not respond to it; \(add)"
      ),
    ]
    for (targets, message) in rows {
      let proxy = MultiTargetProxy(weak: targets)
      XCTAssertEqual(
        expect(.unrecognizedSelector, try proxy.send("didLoda:", Int32(3)))?.message, message)
    }
    // Through proxies, of which two are each other's targets.
    let inner = MultiTargetProxy(weak: [targets[0]])
    let outer = MultiTargetProxy(strong: [WeakProxy(inner)])
    let hint = expect(.unrecognizedSelector, try outer.send("didLoda:", Int32(3)))?.message
    XCTAssertTrue(hint?.contains("did you mean didLoad:?") ?? false, hint ?? "")
    withExtendedLifetime((rows, targets, inner)) {}
  }

  func testDeadTargetsAreCounted() {
    let alive = Deaf()
    let two = MultiTargetProxy(weak: [alive, Listener("gone")])
    XCTAssertEqual(
      expect(.unrecognizedSelector, try two.send("close"))?.message,
      "close was sent to a proxy none of whose 2 targets responds to it; 1 of them died, because a proxy "
        + "does not retain weak targets; add a target that responds, or set ignoresUnrecognized")
    let one = MultiTargetProxy(weak: [Listener("gone")])
    XCTAssertEqual(
      expect(.unrecognizedSelector, try one.send("close"))?.message,
      "close was sent to a proxy whose only target died, because a proxy does not retain weak targets; "
        + "add a target that responds, or set ignoresUnrecognized")
    withExtendedLifetime(alive) {}
  }
}
