import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

final class MultiTargetProxyTests: XCTestCase {
  private let calls = Recorder<String>()
  private lazy var first = Listener("first", calls)
  private lazy var second = Listener("second", calls)
  private lazy var third = Listener("third", calls)

  /// How a message gets to a proxy: of Swift types, or as an invocation.
  private enum Way: CaseIterable { case typed, values }

  private func proxy(_ targets: [any MessageReceiver]) -> MultiTargetProxy {
    MultiTargetProxy(weak: targets) { [calls] target, selector, error in
      calls.record("error of \((target as? Listener)?.name ?? "?") at \(selector)")
    }
  }

  private func load(_ proxy: MultiTargetProxy, _ way: Way = .typed) throws {
    switch way {
    case .typed: try proxy.send("didLoad:", Int32(3))
    case .values: try proxy.send("didLoad:", values: [.integer(3)])
    }
  }

  func testAVoidMessageReachesAllResponders() throws {
    for way in Way.allCases {
      let calls = Recorder<String>()
      let targets = [Listener("a", calls), Listener("b", calls)]
      defer { withExtendedLifetime(targets) {} }
      try load(proxy([targets[0], Deaf(), targets[1]]), way)
      XCTAssertEqual(calls.entries, ["a 3", "b 3"], "\(way)")
    }
  }

  func testAVoidMessageIsDeliveredByEveryPolicy() throws {
    let rows: [(ResultPolicy, [String])] = [
      (.automatic, ["a 3", "b 3"]), (.all, ["a 3", "b 3"]), (.first, ["a 3"]),
      (.last, ["a 3", "b 3"]), (.firstNonNil, ["a 3", "b 3"]), (.any, ["a 3", "b 3"]),
      (.allOf, ["a 3", "b 3"]), (.reduce { (a: Int64, _: Int64) in a }, ["a 3", "b 3"]),
    ]
    for (policy, received) in rows {
      for way in Way.allCases {
        let calls = Recorder<String>()
        let targets = [Listener("a", calls), Listener("b", calls)]
        defer { withExtendedLifetime(targets) {} }
        let proxy = MultiTargetProxy(weak: targets)
        proxy.policy = policy
        try load(proxy, way)
        XCTAssertEqual(calls.entries, received, "\(policy) \(way)")
      }
    }
  }

  func testATargetWithAMethodReceivesMessagesWhateverItSays() throws {
    let target = SilentReceiver()
    let proxy = MultiTargetProxy(weak: [target])
    XCTAssertFalse(target.responds(to: "count"))
    for policy in [ResultPolicy.automatic, .last] {
      proxy.policy = policy
      XCTAssertEqual(try proxy.send("count"), Int64(5), "\(policy)")
      XCTAssertEqual(try proxy.send("count", values: []), .integer(5), "\(policy)")
    }
    XCTAssertTrue(proxy.responds(to: "count"))
  }

  func testAMessageWithAResultReachesTheFirstResponderOnly() throws {
    let proxy = proxy([Deaf(), first, second])
    XCTAssertEqual(try proxy.send("title"), "first")
    XCTAssertEqual(try proxy.send("count", values: []), .integer(0))
    // The answer is ignored, but there is one.
    try proxy.send("count")
    XCTAssertEqual(calls.entries, ["first", "first", "first"])
  }

  func testEachPolicyPicksItsAnswer() throws {
    let add = ResultPolicy.reduce { (first: Int64, second: Int64) in first + second }
    let all = ["first", "second", "third"]
    let rows: [(ResultPolicy, Int64, [String])] = [
      (.automatic, 1, ["first"]), (.all, 1, all), (.first, 1, ["first"]), (.last, 4, all),
      (add, 7, all),
    ]
    (first.number, second.number, third.number) = (1, 2, 4)
    for (policy, answer, asked) in rows {
      for way in Way.allCases {
        let calls = Recorder<String>()
        let targets = [first, second, third].map { target in
          let copy = Listener(target.name, calls)
          copy.number = target.number
          return copy
        }
        defer { withExtendedLifetime(targets) {} }
        let proxy = MultiTargetProxy(weak: targets)
        proxy.setPolicy(policy, for: "count")
        switch way {
        case .typed: XCTAssertEqual(try proxy.send("count"), answer)
        case .values:
          XCTAssertEqual(try proxy.send("count", values: []), .integer(Int128(answer)))
        }
        XCTAssertEqual(calls.entries, asked, "\(policy) \(way)")
      }
    }
  }

  func testAnyAndAllOfAskEveryResponder() throws {
    let rows: [(Bool, Bool, any: Bool, all: Bool)] = [
      (true, true, true, true), (true, false, true, false), (false, true, true, false),
      (false, false, false, false),
    ]
    let proxy = proxy([first, second])
    for (one, other, any, all) in rows {
      (first.agrees, second.agrees) = (one, other)
      proxy.setPolicy(.any, for: "canClose")
      XCTAssertEqual(try proxy.send("canClose"), any)
      XCTAssertEqual(try proxy.send("canClose", values: []), .bool(any))
      proxy.setPolicy(.allOf, for: "canClose")
      XCTAssertEqual(try proxy.send("canClose"), all)
      XCTAssertEqual(try proxy.send("canClose", values: []), .bool(all))
    }
    XCTAssertEqual(calls.entries.count, rows.count * 4 * 2)
  }

  func testFirstNonNilAsksUntilThereIsAnAnswer() throws {
    second.number = 7
    let proxy = proxy([first, second, third])
    proxy.policy = .firstNonNil
    XCTAssertEqual(try proxy.send("note", returning: String?.self), "second 7")
    XCTAssertEqual(calls.entries, ["first", "second"])
    // The sender ignores the answer: the targets give it all the same.
    try proxy.send("note")
    XCTAssertEqual(calls.entries, ["first", "second", "first", "second"])
    second.number = nil
    XCTAssertNil(try proxy.send("note", returning: String?.self))
  }

  func testAPolicyForAnswersOfAnotherTypeIsRefusedBeforeAnybodyGetsTheMessage() {
    let proxy = proxy([first])
    proxy.setPolicy(.any, for: "count")
    expect(.typeMismatch, try proxy.send("count") as Int64)
    proxy.setPolicy(.reduce { (first: Int32, _) in first }, for: "count")
    expect(.typeMismatch, try proxy.send("count") as Int64)
    XCTAssertEqual(calls.entries, [])
  }

  func testAnErrorOfThePolicysClosureReachesTheSenderOnceAllTargetsHaveTheMessage() {
    for way in Way.allCases {
      let calls = Recorder<String>()
      let targets = ["a", "b", "c"].map { Listener($0, calls) }
      defer { withExtendedLifetime(targets) {} }
      let proxy = MultiTargetProxy(weak: targets) { _, _, error in calls.record("reported \(error)")
      }
      proxy.policy = .reduce { (_: Int64, _: Int64) throws -> Int64 in throw PlainError() }
      let error =
        switch way {
        case .typed: expect(.thrown, try proxy.send("count") as Int64)
        case .values: expect(.thrown, try proxy.send("count", values: []))
        }
      XCTAssertTrue(error?.underlyingError is PlainError, "\(way)")
      XCTAssertEqual(calls.entries, ["a", "b", "c"], "\(way)")
    }
  }

  func testEachTargetIsLookedUpOnce() throws {
    let target = CountedReceiver()
    for policy in [ResultPolicy.last, .firstNonNil, .reduce { (a: Int64, _: Int64) in a }] {
      let proxy = MultiTargetProxy(weak: [target])
      proxy.policy = policy
      target.lookups = 0
      XCTAssertEqual(try proxy.send("count"), Int64(5))
      XCTAssertEqual(target.lookups, 1, "\(policy)")
      let invocation = try XCTUnwrap(try proxy.makeInvocation(of: "count"))
      target.lookups = 0
      try proxy.forwardInvocation(invocation)
      XCTAssertEqual(try invocation.result(), Int64(5))
      XCTAssertEqual(target.lookups, 1, "an invocation, \(policy)")
    }
  }

  func testAnErrorIsReportedAndDoesNotStopTheOthers() throws {
    for way in Way.allCases {
      let calls = Recorder<String>()
      let targets = ["a", "b", "c"].map { Listener($0, calls) }
      defer { withExtendedLifetime(targets) {} }
      targets[1].fails = true
      let proxy = MultiTargetProxy(weak: targets) { target, selector, error in
        calls.record(
          "\((target as? Listener)?.name ?? "?") \(selector) \(error.underlyingError ?? error)")
      }
      try load(proxy, way)
      XCTAssertEqual(calls.entries, ["a 3", "b 3", "b didLoad: PlainError()", "c 3"], "\(way)")
    }
  }

  func testTheOthersAnswerWhereOneFails() throws {
    (first.number, second.number, third.number) = (1, 2, 4)
    first.fails = true
    let proxy = proxy([first, second, third])
    let rows: [(ResultPolicy, Int64)] = [
      (.all, 2), (.last, 4), (.firstNonNil, 2), (.reduce { (a: Int64, b: Int64) in a + b }, 6),
    ]
    for (policy, answer) in rows {
      proxy.policy = policy
      XCTAssertEqual(try proxy.send("count"), answer, "\(policy)")
      XCTAssertEqual(try proxy.send("count", values: []), .integer(Int128(answer)), "\(policy)")
    }
  }

  func testTheSenderGetsTheFirstErrorWhereNoAnswerIsLeft() {
    first.fails = true
    second.fails = true
    let proxy = proxy([first, second])
    for policy in [ResultPolicy.automatic, .first, .last, .all] {
      proxy.policy = policy
      let typed = expect(.thrown, try proxy.send("count") as Int64)
      XCTAssertTrue(typed?.underlyingError is PlainError)
      expect(.thrown, try proxy.send("count", values: []))
    }
  }

  func testAMessageThatNobodyRespondsToIsAnErrorOrIgnored() throws {
    let proxy = proxy([Deaf()])
    expect(.unrecognizedSelector, try load(proxy))
    expect(.unrecognizedSelector, try load(proxy, .values))
    expect(.unrecognizedSelector, try proxy.send("title") as String)
    XCTAssertFalse(proxy.responds(to: "title"))
    XCTAssertNil(proxy.methodSignature(for: "title"))
    proxy.ignoresUnrecognized = true
    try load(proxy)
    XCTAssertEqual(try proxy.send("count"), Int64(0))
    XCTAssertEqual(try proxy.send("title"), "")
  }

  func testResponsesAndSignaturesAreTheTargets() throws {
    let proxy = proxy([Deaf()])
    XCTAssertFalse(proxy.responds(to: "didLoad:"))
    proxy.add(weak: first)
    XCTAssertTrue(proxy.responds(to: "didLoad:"))
    XCTAssertEqual(
      proxy.methodSignature(for: "didLoad:"), first.methodSignature(for: "didLoad:"))
    proxy.remove(first)
    XCTAssertFalse(proxy.responds(to: "didLoad:"))
  }

  func testSendToAllCollectsAnswersAndErrors() throws {
    (first.number, third.number) = (1, 4)
    second.fails = true
    let answers = try proxy([first, Deaf(), second, third]).sendToAll(
      "count", returning: Int64.self)
    XCTAssertEqual(answers.map { ($0.target as? Listener)?.name }, ["first", "second", "third"])
    XCTAssertEqual(answers.map { try? $0.result.get() }, [1, nil, 4])
    XCTAssertEqual(calls.entries, ["first", "second", "third"])
  }

  // MARK: - Targets

  func testTargetsGetMessagesInTheOrderOfPriorityAndThenOfAdding() throws {
    let proxy = MultiTargetProxy()
    XCTAssertTrue(proxy.add(weak: first))
    XCTAssertTrue(proxy.add(weak: second, priority: 1))
    XCTAssertTrue(proxy.add(weak: third, priority: 1))
    XCTAssertFalse(proxy.add(weak: first, priority: 5), "added twice")
    try load(proxy)
    XCTAssertEqual(calls.entries, ["second 3", "third 3", "first 3"])
    XCTAssertEqual(proxy.targets.count, 3)
    XCTAssertTrue(proxy.contains(first))
    XCTAssertTrue(proxy.remove(first))
    XCTAssertFalse(proxy.remove(first))
    XCTAssertFalse(proxy.contains(first))
    proxy.removeAll()
    XCTAssertEqual(proxy.targets.count, 0)
  }

  func testTargetsAreHeldAsTheyWereAdded() throws {
    let lives = LifetimeTracker()
    func makeListener() -> Listener {
      let listener = Listener("new", calls)
      let tracked = lives.track()
      listener.onCall = { withExtendedLifetime(tracked) {} }
      return listener
    }
    let proxy = MultiTargetProxy()
    proxy.add(weak: makeListener())
    proxy.add(strong: makeListener())
    XCTAssertEqual(lives.alive, 1)
    XCTAssertEqual(proxy.targets.count, 1)
    try load(proxy)
    XCTAssertEqual(calls.entries, ["new 3"])
    proxy.removeAll()
    lives.expectNothingAlive()
    // From the beginning, too: weak ones first.
    let kept = makeListener()
    var made: MultiTargetProxy? = MultiTargetProxy(
      weak: [kept, makeListener()], strong: [WeakProxy(kept), makeListener()])
    XCTAssertEqual(lives.alive, 2)
    XCTAssertEqual(made?.targets.map { $0 === kept }, [true, false, false])
    made = nil
    XCTAssertEqual(lives.alive, 1)
    withExtendedLifetime(kept) {}
  }

  func testATargetIsHeldFromTheQuestionToTheEndOfItsCall() throws {
    final class Fickle: MessageReceiver {
      static let isGone = Recorder<Bool>()
      var lose: () -> Void = {}
      static var methods: MethodTable { MethodTable(Fickle.self) }
      func responds(to selector: Selector) -> Bool {
        lose()
        return true
      }
      func methodSignature(for selector: Selector) -> MethodSignature? {
        try? MethodSignature(parsing: "v@:")
      }
      func forwardInvocation(_ invocation: Invocation) throws { Self.isGone.record(false) }
      deinit { Self.isGone.record(true) }
    }
    var target: Fickle? = Fickle()
    let proxy = proxy([])
    if let target { proxy.add(weak: target) }
    target?.lose = { target = nil }
    try proxy.send("close")
    XCTAssertNil(target)
    XCTAssertEqual(Fickle.isGone.entries, [false, true])
  }

  func testADispatchUnderWayGoesToTheTargetsThatItBeganWith() throws {
    let late = Listener("late", calls)
    for way in Way.allCases {
      let proxy = MultiTargetProxy(weak: [first, second, third])
      first.onCall = { [second] in
        proxy.remove(second)
        proxy.add(weak: late, priority: -1)
      }
      let before = calls.entries.count
      try load(proxy, way)
      // The one removed meanwhile gets no call any more, the new one none yet.
      XCTAssertEqual(calls.entries.dropFirst(before), ["first 3", "third 3"])
      first.onCall = {}
      try load(proxy, way)
      XCTAssertEqual(
        calls.entries.dropFirst(before + 2), ["first 3", "third 3", "late 3"])
    }
  }

  func testATargetMayRemoveAllAndTheProxyMayDieInACall() throws {
    var proxy: MultiTargetProxy? = MultiTargetProxy(weak: [first, second])
    first.onCall = {
      proxy?.removeAll()
      proxy = nil
    }
    if let proxy { try load(proxy) }
    XCTAssertEqual(calls.entries, ["first 3"])
  }

  // MARK: - Proxies as targets

  func testAProxyMayBeATarget() throws {
    let inner = proxy([second, third])
    let outer = proxy([first, inner, WeakProxy(third)])
    try load(outer)
    XCTAssertEqual(calls.entries, ["first 3", "second 3", "third 3"])
    XCTAssertTrue(outer.responds(to: "title"))
    first.number = 1
    outer.remove(first)
    XCTAssertEqual(try outer.send("title"), "second")
  }

  func testAProxyThatContainsItselfIsReported() throws {
    let direct = proxy([])
    XCTAssertFalse(direct.add(weak: direct))
    direct.add(strong: WeakProxy(direct))
    let (outer, inner) = (proxy([first]), proxy([]))
    outer.add(weak: inner)
    inner.add(strong: WeakProxy(outer))
    let relay = Relay()
    let relayed = proxy([relay])
    relay.next = relayed
    for (name, proxy) in [("direct", direct), ("through others", outer), ("relayed", relayed)] {
      for way in Way.allCases where way == .typed || name == "through others" {
        let error = expect(.forwardingLoop, try load(proxy, way))
        XCTAssertEqual(error?.selector, "didLoad:", name)
      }
      _ = proxy.responds(to: "title")
      _ = proxy.methodSignature(for: "unknown")
    }
    XCTAssertEqual(calls.entries, ["first 3", "first 3"])
    // A target that sends to the proxy again is no loop.
    let proxy = proxy([second])
    var isFirst = true
    second.onCall = {
      if isFirst { isFirst = false; try proxy.send("didLoad:", Int32(4)) }
    }
    try load(proxy)
    XCTAssertEqual(calls.entries.suffix(2), ["second 3", "second 4"])
  }

  // MARK: - Owners

  func testAnAttachedProxyLivesAsLongAsItsOwner() throws {
    weak var proxy: MultiTargetProxy?
    var owner: Listener? = Listener("owner", calls)
    try {
      let new = MultiTargetProxy(weak: [first])
      proxy = new
      try new.attach(to: try XCTUnwrap(owner))
    }()
    XCTAssertNotNil(proxy)
    XCTAssertTrue(proxy?.owner === owner)
    owner = nil
    XCTAssertNil(proxy)
  }

  func testADetachedProxyIsKeptNoLonger() throws {
    weak var proxy: MultiTargetProxy?
    let (owner, other) = (Deaf(), Deaf())
    try {
      let new = MultiTargetProxy()
      proxy = new
      try new.attach(to: owner)
      try new.attach(to: other)
      XCTAssertTrue(new.owner === other)
      new.detach()
      XCTAssertNil(new.owner)
    }()
    XCTAssertNil(proxy)
  }
}
