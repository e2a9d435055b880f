import BlockRuntime
import TestSupport
import XCTest

/// One sender, many delegates: who is told, in which order, and whose answer counts.
final class MultiDelegateTests: XCTestCase {
  /// A delegate that writes down what it is asked.
  private final class Door: MessageReceiver {
    struct Jammed: Error {}

    let name: String
    let mayOpen: Bool
    let visitors: Int64
    let isJammed: Bool
    let log: Recorder<String>

    init(
      _ name: String, mayOpen: Bool = true, visitors: Int64 = 0, isJammed: Bool = false,
      _ log: Recorder<String>
    ) {
      (self.name, self.mayOpen, self.visitors) = (name, mayOpen, visitors)
      (self.isJammed, self.log) = (isJammed, log)
    }

    func bell() throws {
      log.record(name)
      if isJammed { throw Jammed() }
    }
    func canOpen() -> Bool { mayOpen }
    func count() -> Int64 { visitors }

    static var methods: MethodTable {
      MethodTable(Door.self) {
        Method("bell", Door.bell)
        Method("canOpen", Door.canOpen)
        Method("count", Door.count)
      }
    }
  }

  private let log = Recorder<String>()

  /// Delegates are told in the order in which they were added, unless some are more important.
  func testDelegatesAreToldInOrder() throws {
    let (front, back, garage) = (Door("front", log), Door("back", log), Door("garage", log))
    let doors = MultiTargetProxy(weak: [front, back])
    doors.add(weak: garage, priority: 1)
    try doors.send("bell")
    XCTAssertEqual(log.entries, ["garage", "front", "back"])
    withExtendedLifetime((front, back, garage)) {}
  }

  /// Many answers, one result: which it is must be said for each message.
  func testThePolicySaysWhichAnswerCounts() throws {
    let front = Door("front", mayOpen: true, visitors: 1, log)
    let back = Door("back", mayOpen: false, visitors: 2, log)
    let doors = MultiTargetProxy(weak: [front, back])
    // Nothing said: a question goes to the first only, so nobody is asked in vain.
    XCTAssertEqual(try doors.send("count", returning: Int64.self), 1)
    doors.setPolicy(.last, for: "count")
    XCTAssertEqual(try doors.send("count", returning: Int64.self), 2)
    doors.setPolicy(.reduce { (first: Int64, second: Int64) in first + second }, for: "count")
    XCTAssertEqual(try doors.send("count", returning: Int64.self), 3)
    // One veto is enough, or one consent.
    doors.setPolicy(.allOf, for: "canOpen")
    XCTAssertFalse(try doors.send("canOpen", returning: Bool.self))
    doors.setPolicy(.any, for: "canOpen")
    XCTAssertTrue(try doors.send("canOpen", returning: Bool.self))
    withExtendedLifetime((front, back)) {}
  }

  /// Delegates are not kept: one that is gone is passed over, and nobody has to deregister.
  func testADeadDelegateIsPassedOver() throws {
    let front = Door("front", log)
    let doors = MultiTargetProxy(weak: [front])
    do {
      let shed = Door("shed", log)
      doors.add(weak: shed)
      try doors.send("bell")
      withExtendedLifetime(shed) {}
    }
    try doors.send("bell")
    XCTAssertEqual(log.entries, ["front", "shed", "front"])
    XCTAssertEqual(doors.targets.count, 1)
    withExtendedLifetime(front) {}
  }

  /// One that fails is reported, and does not keep the others from being told.
  func testADelegateThatThrowsStopsNobody() throws {
    let front = Door("front", log)
    let back = Door("back", isJammed: true, log)
    let garage = Door("garage", log)
    let doors = MultiTargetProxy(weak: [front, back, garage]) { [log] target, selector, error in
      let name = (target as? Door)?.name ?? "?"
      log.record("\(name) failed at \(selector): \(error.underlyingError is Door.Jammed)")
    }
    try doors.send("bell")
    XCTAssertEqual(log.entries, ["front", "back", "back failed at bell: true", "garage"])
    withExtendedLifetime((front, back, garage)) {}
  }
}
