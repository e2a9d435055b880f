import KeyValueObserving
import XCTest

final class ManualChangeTests: XCTestCase {
  func testAPropertyChangedManuallyTellsLikeAnyOther() {
    let account = Account()
    var log: [Change<Int>] = []
    account.observe(\.balance, options: [.initial, .prior, .old, .new]) { log.append($1) }
    account.balance = 5
    XCTAssertEqual(
      log, [Change(new: 0), Change(old: 0, isPrior: true), Change(old: 0, new: 5)])
  }

  func testTheAttributeWithoutNotificationIsSilentButTellsTheInitialValue() {
    let account = Account()
    var log: [Change<String>] = []
    account.observe(\.owner, options: [.initial, .old, .new]) { log.append($1) }
    account.owner = "Ada"
    XCTAssertEqual(log, [Change(new: "")])
    account.withChange(of: \.owner) { account.owner = "Grace" }
    XCTAssertEqual(log, [Change(new: ""), Change(old: "Ada", new: "Grace")])
  }

  func testNestedChangesTellOnce() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.name, options: [.prior, .old, .new]) { log.append($1) }
    person.willChange(\.name)
    person.willChange(\.name)
    person.name = "Grace"
    person.name = "Jean"
    person.didChange(\.name)
    XCTAssertEqual(log, [Change(old: "Ada", isPrior: true)])
    person.didChange(\.name)
    XCTAssertEqual(log.last, Change(old: "Ada", new: "Jean"))
    XCTAssertEqual(log.count, 2)
    person.name = "Mary"
    XCTAssertEqual(log.count, 4)
  }

  func testAnEndWithoutABeginningDoesNothing() {
    let account = Account()
    var count = 0
    account.observe(\.balance) { _, _ in count += 1 }
    account.didChange(\.balance)
    XCTAssertEqual(count, 0)
    account.balance = 1
    XCTAssertEqual(count, 1)
  }

  func testABeginningWithoutAnEndSilencesOnlyItsProperty() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name) { log.append("name \($1)") }
    person.observe(\.age) { log.append("age \($1)") }
    person.willChange(\.name)
    person.name = "Grace"
    person.age = 1
    XCTAssertEqual(log, ["age setting new 1"])
    person.didChange(\.name)
    XCTAssertEqual(log.last, "name setting new Grace")
  }

  func testChangesThatOverlapAreMatchedByTheirKeys() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name, options: [.old, .new]) { log.append("name \($1)") }
    person.observe(\.nickname, options: [.old, .new]) { log.append("nick \($1)") }
    person.willChange(\.name)
    person.willChange(\.nickname)
    person.name = "Grace"
    person.nickname = "G"
    person.didChange(\.name)
    person.didChange(\.nickname)
    XCTAssertEqual(log, ["name setting old Ada new Grace", "nick setting new G"])
  }

  func testOneObserverOfTwoKeysThatAreChangedTogetherIsToldOnce() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.greeting, options: [.prior, .old, .new]) { log.append($1) }
    person.willChange(\.nickname)
    person.willChange(\.name)
    person.name = "Grace"
    person.nickname = "G"
    person.didChange(\.name)
    person.didChange(\.nickname)
    XCTAssertEqual(
      log,
      [
        Change(old: "Hello, Ada", isPrior: true), Change(old: "Hello, Ada", new: "Hello, G"),
      ])
    person.nickname = "H"
    XCTAssertEqual(log.last, Change(old: "Hello, G", new: "Hello, H"))
  }

  func testAChangeThatThrowsIsTold() {
    struct Failure: Error {}
    let person = Person("Ada")
    var count = 0
    person.observe(\.name) { _, _ in count += 1 }
    XCTAssertThrowsError(try person.withChange(of: \.name) { throw Failure() })
    XCTAssertEqual(count, 1)
  }

  func testKindsAndIndexesOfManualChanges() throws {
    final class Plain: KeyValueObservable {
      var items = ["a", "b"]
    }
    let plain = Plain()
    var log: [String] = []
    plain.observe(\.items, options: [.prior, .old, .new]) { log.append("\($1)") }
    plain.items.append("silent")
    plain.withChange(of: \.items, .insertion, at: RangeSet(0..<1)) {
      plain.items.insert("c", at: 0)
    }
    plain.withChange(of: \.items, .replacement, at: RangeSet(1..<2)) { plain.items[1] = "A" }
    plain.withChange(of: \.items, .removal, at: RangeSet(2..<4)) {
      plain.items.removeSubrange(2..<4)
    }
    XCTAssertEqual(
      log,
      [
        "will: insertion at 0", #"insertion at 0 new ["c"]"#,
        #"will: replacement at 1 old ["a"]"#, #"replacement at 1 old ["a"] new ["A"]"#,
        #"will: removal at 2..<4 old ["b", "silent"]"#,
        #"removal at 2..<4 old ["b", "silent"]"#,
      ])
  }

  func testKindsOfManualChangesAreKeptThroughLinksUnlessMoreChanges() {
    final class Plain: KeyValueObservable {
      private var hidden: [String]? = ["a"]
      @ManuallyObserved var items = ["a"]
      @Observed var link: Plain?
      var manual: [String]? {
        get {
          willRead(\.manual)
          return hidden
        }
        set { hidden = newValue }
      }
    }
    let root = Plain()
    let plain = Plain()
    root.link = plain
    var log: [String] = []
    root.observe(\.link?.items, options: [.prior, .old, .new]) { log.append("items \($1)") }
    root.observe(\.link?.manual, options: [.old, .new]) { log.append("manual \($1)") }
    plain.withChange(of: \.items, .insertion, at: RangeSet(0..<1)) {
      plain.items.insert("b", at: 0)
    }
    plain.withChange(of: \.manual, .removal, at: RangeSet(0..<1)) { plain.manual = [] }
    XCTAssertEqual(
      log,
      [
        "items will: insertion at 0", #"items insertion at 0 new ["b"]"#,
        #"manual removal at 0 old ["a"]"#,
      ])
    log = []
    plain.withChange(of: \.items, .insertion, at: RangeSet(0..<1)) {
      plain.items.insert("c", at: 0)
      root.link = Plain()
    }
    XCTAssertEqual(
      log,
      [
        "items will: insertion at 0", #"items setting old ["b", "a"] new ["a"]"#,
        #"manual setting old [] new ["a"]"#,
      ])
    plain.withChange(of: \.items) { plain.items = [] }
    XCTAssertEqual(log.count, 3, "no longer on the path")
  }

  func testIndexesThatAreNotInTheArrayAreLeftOut() {
    final class Plain: KeyValueObservable {
      var items = [1]
    }
    let plain = Plain()
    var log: [String] = []
    plain.observe(\.items, options: [.old, .new]) { log.append("\($1)") }
    plain.withChange(of: \.items, .replacement, at: RangeSet(0..<9)) {}
    XCTAssertEqual(log, ["replacement at 0..<9 old [1] new [1]"])
  }

  func testPathsLeadThroughPropertiesThatAreChangedManually() {
    final class Holder: KeyValueObservable {
      @Observed var account: Account? = Account()
    }
    let holder = Holder()
    var log: [Change<Int>] = []
    holder.observe(\.account?.balance, options: [.old, .new]) { log.append($1) }
    holder.account?.balance = 1
    let savings = SavingsAccount()
    savings.balance = 10
    holder.account = savings
    savings.balance = 11
    XCTAssertEqual(
      log, [Change(old: 0, new: 1), Change(old: 1, new: 10), Change(old: 10, new: 11)])
  }

  func testASubclassIsToldOfWhatItsSuperclassChangesManually() {
    let savings = SavingsAccount()
    var log: [Change<Int>] = []
    savings.observe(\.balance, options: [.old, .new]) { log.append($1) }
    savings.balance = 1
    XCTAssertEqual(log, [Change(old: 0, new: 1)])
  }

  func testAnObserverAddedDuringAManualChangeIsNotToldOfIt() {
    let account = Account()
    account.observe(\.balance) { _, _ in }
    var count = 0
    account.willChange(\.balance)
    account.observe(\.balance) { _, _ in count += 1 }
    account.didChange(\.balance)
    XCTAssertEqual(count, 0)
    account.balance = 1
    XCTAssertEqual(count, 1)
  }
}
