import KeyValueObserving
import TestSupport
import XCTest

/// Many observers of one property, and what happens to them while others are told.
final class ObserverListTests: XCTestCase {
  /// Random additions and removals, also within calls, against a list of who is there.
  func testObserversThatComeAndGoAreToldInOrder() {
    var generator = SeededGenerator(seed: 5)
    let person = Person("Ada")
    var present: [(number: Int, observation: KeyValueObservation)] = []
    var told: [Int] = []
    for step in 0..<3_000 {
      if present.isEmpty || Int.random(in: 0..<5, using: &generator) < 3 {
        let options: ObservingOptions = step.isMultiple(of: 3) ? [.old, .new] : .new
        present.append(
          (step, person.observe(\.name, options: options) { _, _ in told.append(step) }))
      } else {
        let index = Int.random(in: 0..<present.count, using: &generator)
        XCTAssertTrue(present.remove(at: index).observation.remove())
      }
      guard step.isMultiple(of: 50) else { continue }
      told = []
      person.name = "\(step)"
      XCTAssertEqual(told, present.map(\.number))
    }
    XCTAssertEqual(person.observations.count, present.count)
    XCTAssertEqual(person.removeObservers(), present.count)
    told = []
    person.name = "nobody"
    XCTAssertEqual(told, [])
  }

  func testObserversThatAreAddedInACallByTheThousandAreFreed() {
    let tracker = LifetimeTracker()
    let person = Person("Ada")
    person.observe(\.name, name: "first") { person, _ in
      for _ in 0..<2_000 {
        person.observe(\.name, name: "many") { [tracked = tracker.track()] _, _ in
          _ = tracked
        }
      }
      XCTAssertEqual(person.removeObservers(name: "many"), 2_000)
      tracker.expectNothingAlive()
      person.removeObservers(name: "first")
    }
    person.name = "Grace"
    XCTAssertTrue(person.observations.isEmpty)
  }

  func testALinkThatIsMadeBeforeAChangeIsToldOfIt() {
    final class Switch: KeyValueObservable {
      @Observed var isOn = false
      @Observed var child: Person?
      @Observed var name = "off"
      var shown: String { isOn ? child?.name ?? "none" : name }
    }
    let object = Switch()
    var log: [Change<String>] = []
    object.observe(\.shown, options: [.old, .new]) { log.append($1) }
    object.observe(\.child, options: .prior) { object, change in
      if change.isPrior { object.isOn = true }
    }
    object.child = Person("Ada")
    object.child?.name = "Grace"
    XCTAssertEqual(
      log.map(\.new), ["none", "Ada", "Grace"], "the path reads the child since the prior call")
  }

  func testAPathThatIsMadeDuringAChangeFollowsItButIsNotToldOfIt() {
    for isManual in [false, true] {
      let person = Person()
      person.friend = Person("old")
      var log: [String?] = []
      let observe = {
        _ = person.observe(\.friend?.name) { log.append($1.new) }
      }
      if isManual {
        person.observe(\.friend) { _, _ in }
        person.willChange(\.friend)
        observe()
        person.friend = Person("new")
        person.didChange(\.friend)
      } else {
        person.observe(\.friend, options: .prior) { _, change in if change.isPrior { observe() } }
        person.friend = Person("new")
      }
      XCTAssertEqual(log, [])
      person.friend?.name = "newer"
      XCTAssertEqual(log, ["newer"], "manual: \(isManual)")
    }
  }

  func testAPropertyWhoseManualChangeWasForgottenDoesNotSilenceThePathThatHasLeftIt() {
    let person = Person()
    person.friend = Person("Ada")
    var log: [String?] = []
    person.observe(\.friend?.name) { log.append($1.new) }
    person.friend?.willChange(\.name)
    person.friend = Person("Grace")
    person.friend?.name = "Jean"
    XCTAssertEqual(log, ["Grace", "Jean"])
  }

  func testPlacesThatAnObserverTookAwayBeforeTheChangeAreRefused() throws {
    let team = Team()
    team.scores = [1, 2, 3]
    var log: [String] = []
    team.observe(\.scores, options: [.prior, .old, .new]) { team, change in
      log.append("\(change)")
      if change.isPrior, change.kind != .setting { team.scores = [] }
    }
    expectError(.indexOutOfRange) { _ = try team.$scores.remove(at: 2) }
    team.scores = [1, 2, 3]
    XCTAssertThrowsError(try team.$scores.insert(0, at: 1))
    team.scores = [1, 2, 3]
    XCTAssertThrowsError(try team.$scores.swapAt(0, 2))
    team.scores = [1, 2, 3]
    log = []
    team.$scores.append(4)
    XCTAssertEqual(team.scores, [4])
    XCTAssertEqual(log.last, "setting new [4]", "an append needs no place")
  }

  func testRemoveAndWaitWaitsForTheCallsOfAllKeyPathsAndElements() {
    final class Shared: KeyValueObservable, @unchecked Sendable {
      @Observed var value = 0
      @Observed var members: [Shared] = []
    }
    for isOfElements in [false, true] {
      let shared = Shared()
      shared.members = [shared]
      let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let log = Recorder<String>()
      let handler = { @Sendable in
        entered.signal()
        leave.wait()
        log.record("call ends")
      }
      let observation =
        isOfElements
        ? shared.observeElements(of: \.members, \.value) { _, _ in handler() }
        : shared.observe([\.value]) { _, _, _ in handler() }
      let threads = ThreadGroup()
      threads.start { shared.value = 1 }
      entered.wait()
      DispatchQueue.global().async { leave.signal() }
      observation.removeAndWait()
      log.record("removed")
      threads.wait()
      XCTAssertEqual(log.entries, ["call ends", "removed"])
      shared.members = []
    }
  }

  func testAnInitialCallInATransactionComesAtOnce() {
    let team = Team()
    team.members = [Person("Ada")]
    var log: [String] = []
    withChangeTransaction {
      team.observe(\.scores, options: [.initial, .new]) { log.append("scores \($1)") }
      team.observe([\.scores], options: [.initial, .new]) { log.append("several \($2)") }
      team.observeElements(of: \.members, \.age, options: [.initial, .new]) {
        log.append("age \($1)")
      }
      XCTAssertEqual(
        log, ["scores setting new []", "several setting new []", "age setting new 0"])
      team.withChange(of: \.scores, .insertion, at: RangeSet(0..<1)) { team.scores = [1] }
      log = []
    }
    XCTAssertEqual(log, ["scores setting new [1]", "several setting new [1]"])
  }

  func testAMemberThatLeavesInAnInitialCallIsNotObserved() {
    let team = Team()
    let (ada, grace) = (Person("Ada"), Person("Grace"))
    team.members = [ada, grace]
    var log: [String] = []
    team.observeElements(of: \.members, \.age, options: [.initial, .new]) { person, change in
      log.append("\(person.name) \(change)")
      if person === ada { team.members = [ada] }
    }
    XCTAssertEqual(log, ["Ada setting new 0"])
    XCTAssertTrue(grace.observations.isEmpty)
  }

  func testASubclassMayNameWhatItsSuperclassDeclares() {
    let savings = SavingsAccount()
    let account: Account = savings
    var log: [String] = []
    account.observe(\.owner, options: [.old, .new]) { log.append("account \($1)") }
    savings.observe(\.owner, options: [.old, .new]) { log.append("savings \($1)") }
    savings.withChange(of: \.owner) { savings.owner = "Ada" }
    account.withChange(of: \.owner) { savings.owner = "Grace" }
    XCTAssertEqual(
      log,
      [
        "account setting old  new Ada", "savings setting old  new Ada",
        "account setting old Ada new Grace", "savings setting old Ada new Grace",
      ])
    XCTAssertEqual(savings.removeObservers(of: \.owner), 2)
  }
}
