#if Macros
import MessageMacros
import Synchronization
import XCTest

private final class Part: Answering {
  var texts: [String] = []
  func flag() -> Bool { true }
  func name() -> String? { nil }
  func count(of word: String) -> Int { 0 }
  func list() -> [Int] { [] }
  func load(count: Int) throws -> Page { Page() }
  func check(_ number: Int) throws {}
  func strictly() throws(LoadingError) -> Int { 0 }
  func add(to list: inout [Int]) { list.append(1) }
  func with(_ body: (Int) -> Void) { body(1) }
  func log(_ text: @autoclosure () -> String) { texts.append(text()) }
}

/// Has all messages, but is sent only those that are messages.
private final class Receiver: MessageReceiver {
  func fail(_ argument: AnyObject) { XCTFail("called") }
  class var methods: MethodTable {
    MethodTable(Receiver.self) {
      Method("addTo:", Receiver.fail)
      Method("with:", Receiver.fail)
    }
  }
}

final class AnswerTests: XCTestCase {
  /// A forwarder with closures that answer, in order.
  private func answering(_ flags: [Bool], calls: @escaping () -> Void = {}) -> Answerers {
    let forwarder = Answerers()
    for flag in flags {
      forwarder.add {
        $0.flag = {
          calls()
          return flag
        }
      }
    }
    return forwarder
  }

  func testAPolicyDecidesWhoIsAskedAndWhichAnswerCounts() {
    let rows: [(AnswerPolicy<Bool>, [Bool], Bool, Int)] = [
      (.first, [true, false, false], true, 1), (.last, [true, false], false, 2),
      (.all, [true, false], true, 2), (.any, [false, true, false], true, 3),
      (.any, [false, false], false, 2), (.allOf, [true, false, true], false, 3),
      (.allOf, [true, true], true, 2), (.reduce { $0 != $1 }, [true, true, true], true, 3),
    ]
    for (row, (policy, flags, expected, count)) in rows.enumerated() {
      var calls = 0
      let forwarder = answering(flags) { calls += 1 }
      forwarder.policies.flag = policy
      XCTAssertEqual(forwarder.flag(), expected, "row \(row)")
      XCTAssertEqual(calls, count, "row \(row)")
    }
  }

  func testTheFirstAnswerThatIsNotNilCountsWhereThePolicySaysSo() {
    let rows: [(AnswerPolicy<String?>, [String?], String?)] = [
      (.first, [nil, "b"], nil), (.firstNonNil, [nil, "b", "c"], "b"), (.firstNonNil, [nil], nil),
      (.firstNonNil, [], nil), (.last, ["a", nil], nil),
    ]
    for (row, (policy, names, expected)) in rows.enumerated() {
      let forwarder = Answerers()
      for name in names { forwarder.add { $0.name = { name } } }
      forwarder.policies.name = policy
      XCTAssertEqual(forwarder.name(), expected, "row \(row)")
    }
  }

  func testIfNobodyAnswersTheAnswerIsTheZeroOfItsType() throws {
    let forwarder = Answerers()
    XCTAssertEqual(forwarder.flag(), false)
    XCTAssertNil(forwarder.name())
    XCTAssertEqual(forwarder.count(of: "a"), 0)
    XCTAssertEqual(forwarder.list(), [])
    XCTAssertTrue(forwarder.page().isOpen)
    XCTAssertEqual(try forwarder.hint(""), "")
    XCTAssertEqual(try forwarder.strictly(), 0)
    try forwarder.check(1)
    forwarder.ended()
    XCTAssertThrowsError(try forwarder.load(count: 1)) { error in
      XCTAssertEqual((error as? MessageError)?.code, .deadReceiver)
      XCTAssertTrue("\(error)".contains("loadWithCount:"), "\(error)")
    }
  }

  func testAnErrorOfATargetDoesNotKeepTheOthersFromAnswering() throws {
    let forwarder = Answerers()
    let reported = Mutex<[LoadingError?]>([])
    forwarder.onError = { _, _, error in reported.withLock { $0.append(error as? LoadingError) } }
    for code in [1, 2] { forwarder.add { $0.check = { _ in throw LoadingError(code: code) } } }
    XCTAssertThrowsError(try forwarder.check(0)) {
      XCTAssertEqual($0 as? LoadingError, LoadingError(code: 1))
    }
    XCTAssertEqual(reported.withLock { $0 }, [LoadingError(code: 2)])
    reported.withLock { $0 = [] }
    var isCalled = false
    forwarder.add { $0.check = { _ in isCalled = true } }
    try forwarder.check(0)
    XCTAssertTrue(isCalled)
    XCTAssertEqual(reported.withLock { $0 }, [LoadingError(code: 2), LoadingError(code: 1)])
  }

  func testTypedErrorsKeepTheirType() {
    let forwarder = Answerers()
    forwarder.add { $0.strictly = { () throws(LoadingError) in throw LoadingError(code: 3) } }
    do { _ = try forwarder.strictly() } catch { XCTAssertEqual(error.code, 3) }
  }

  func testArgumentsThatAreChangedAreSeenByTheNextTarget() {
    let forwarder = Answerers()
    for number in 1...3 { forwarder.add { $0.addTo = { $0.append(number) } } }
    var list = [0]
    forwarder.add(to: &list)
    XCTAssertEqual(list, [0, 1, 2, 3])
    forwarder.add { $0.with = { $0(4) } }
    forwarder.with { list.append($0) }
    XCTAssertEqual(list.last, 4)
  }

  func testArgumentsThatAreChangedAndFunctionsGoToObjectsAndClosuresOnly() {
    let (object, receiver) = (Part(), Receiver())
    let forwarder = Answerers(weak: object)
    forwarder.add {
      $0.addTo = { $0.append(2) }
      $0.with = { $0(2) }
    }
    forwarder.add(weakReceiver: receiver)
    var lists: [[Int]] = [[], []]
    forwarder.add(to: &lists[0])
    forwarder.with { lists[1].append($0) }
    XCTAssertEqual(lists, [[1, 2], [1, 2]])
  }

  func testAnArgumentThatIsAnExpressionIsEvaluatedByThoseThatUseIt() {
    let object = Part()
    let forwarder = Answerers(weak: object)
    var texts: [String] = []
    forwarder.add { $0.log = { texts.append($0()) } }
    forwarder.add { $0.log = { _ in } }
    var count = 0
    func text() -> String {
      count += 1
      return "\(count)"
    }
    forwarder.log(text())
    XCTAssertEqual(object.texts + texts, ["1", "2"])
    XCTAssertEqual(count, 2)
  }

  func testPropertiesAreReadByPolicyAndSetInAll() throws {
    final class Part: Titled {
      var title: String
      var size: Int { get throws { title.count } }
      var moves: [Int] = []
      init(_ title: String) { self.title = title }
      func move(to place: Int) { moves.append(place) }
      func move(by distance: Int) { moves.append(-distance) }
      func move(_ place: Int) { moves.append(2 * place) }
    }
    let (first, second) = (Part("a"), Part("bcd"))
    let forwarder = TitledObjects(weak: first, second)
    XCTAssertEqual(forwarder.title, "a")
    forwarder.policies.title = .last
    forwarder.policies.size = .reduce { $0 + $1 }
    XCTAssertEqual(forwarder.title, "bcd")
    XCTAssertEqual(try forwarder.size, 4)
    XCTAssertEqual(forwarder.subtitle, "none")
    forwarder.title = "new"
    XCTAssertEqual([first.title, second.title], ["new", "new"])
    forwarder.move(to: 1)
    forwarder.move(by: 2)
    forwarder.move(3)
    XCTAssertEqual(second.moves, [1, -2, 6])
  }
}
#endif
