import DelayedBlocks
import Foundation
import KeyValueObserving
import TestSupport
import XCTest

/// Who made a change, in unoptimised and optimised code.
final class OriginTests: XCTestCase {
  /// What changes a form, and the function that an observer must be told of.
  private typealias Way = (name: String, change: @Sendable (Form) throws -> Void)

  private static let ways: [Way] = [
    ("setTitle", { setTitle(of: $0) }),
    ("appendToTitle", { appendToTitle(of: $0) }),
    ("setByKeyPath", { setByKeyPath($0, \.title) }),
    ("changeByKeyPath", { changeByKeyPath($0, \.title) }),
    ("setManually", { setManually($0) }),
    ("setInClosure", { setInClosure($0) }),
    ("setByComputed", { setByComputed($0) }),
    ("appendItem", { appendItem(to: $0) }),
    ("insertItem", { insertItem(in: $0) }),
    ("setByKey", { try setByKey($0) }),
    ("clear", { $0.clear() }),
    ("setThroughProtocol", { setThroughProtocol($0) }),
    ("setInGeneric", { setInGeneric($0, "g") }),
    ("setBalance", { setBalance(of: $0) }),
    ("endOfAccess", { endOfAccess(of: $0) }),
    ("setInTransaction", { setInTransaction($0) }),
    ("endsWithASet", { endsWithASet($0) }),
  ]

  func testTheFunctionThatMadeTheChangeIsNamed() throws {
    for (name, change) in Self.ways {
      let form = Form()
      var origins: [ChangeOrigin] = []
      func observe<Value>(_ keyPath: KeyPath<Form, Value>) {
        form.observe(keyPath, options: [.new, .prior, .origin]) { _, change in
          change.origin.map { origins.append($0) }
        }
      }
      observe(\.title)
      observe(\.items)
      observe(\.balance)
      observe(\.me.title)
      observe(\.summary)
      form.observe([\.title, \.items], options: .origin) { _, _, change in
        change.origin.map { origins.append($0) }
      }
      try change(form)
      XCTAssertGreaterThan(origins.count, 1, name)
      for origin in origins {
        XCTAssertTrue(
          origin.function.contains(name),
          "\(name): \(origin.functions.prefix(4).map(\.description))")
        XCTAssertEqual(origin.module, "KeyValueObservingTests", name)
        XCTAssertEqual("\(origin)", "\(origin.function) in KeyValueObservingTests")
      }
    }
  }

  func testOnlyThoseThatAskAreTold() {
    let form = Form()
    var plain: [Change<String>] = []
    var asking: [Change<String>] = []
    form.observe(\.title, options: [.initial, .old, .new]) { plain.append($1) }
    form.observe(\.title, options: [.initial, .old, .new, .origin]) { asking.append($1) }
    form.observe(\.summary, options: .new) { plain.append($1) }
    var ofPath: [Change<String>] = []
    form.observe(\.summary, options: [.new, .origin]) { ofPath.append($1) }
    form.title = "a"
    XCTAssertEqual(plain.map { $0.origin == nil }, [true, true, true])
    XCTAssertEqual(ofPath.map { $0.origin == nil }, [false])
    XCTAssertEqual(asking.map { $0.origin == nil }, [true, false])
    XCTAssertEqual(asking, Array(plain.prefix(2)), "it is not compared")
  }

  func testOfSeveralChangesTheLastIsNamed() async {
    let form = Form()
    var names: [String] = []
    form.observe(\.title, options: .origin) { names.append($1.origin?.function ?? "") }
    let changes = form.changes(of: \.title, options: [.new, .origin], buffering: .coalesced)
    withChangeTransaction {
      form.clear()
      setTitle(of: form)
    }
    changes.observation.remove()
    for await change in changes { names.append(change.origin?.function ?? "") }
    XCTAssertEqual(names.count, 2)
    XCTAssertTrue(names.allSatisfy { $0.contains("setTitle") }, "\(names)")
  }

  func testAnObserverElsewhereIsToldWhoMadeTheChange() {
    let form = Form()
    let queue = DispatchQueue(label: "observer")
    let names = Recorder<String>()
    form.observe(\.title, options: .origin, on: .queue(queue)) {
      names.record($0.origin?.function ?? "")
    }
    setTitle(of: form)
    queue.sync {}
    XCTAssertEqual(names.entries.count, 1)
    XCTAssertTrue(names.entries[0].contains("setTitle"))
  }

  func testAnAsyncFunctionIsNamedInEachOfItsParts() async {
    let form = Form()
    var names: [String] = []
    form.observe(\.title, options: .origin) { names.append($1.origin?.function ?? "") }
    await setTitleTwice(of: form)
    XCTAssertEqual(names.count, 2)
    XCTAssertTrue(names.allSatisfy { $0.contains("setTitleTwice") }, "\(names)")
  }

  func testTheEndOfAWeakPropertysObjectIsMadeByWhoReleasesIt() {
    let form = Form()
    var names: [String] = []
    var other: Form? = Form()
    form.other = other
    form.observe(\.other, options: .origin) { names.append($1.origin?.function ?? "") }
    letGo(of: &other)
    XCTAssertEqual(names.count, 1)
    XCTAssertTrue(names.allSatisfy { $0.contains("letGo") }, "\(names)")
  }

  func testWithoutTheOptionNothingIsAllocated() {
    let form = Form()
    var sum = 0
    form.observe(\.number) { sum += $1.new ?? 0 }
    form.number = 1
    let plain = numberOfAllocations { form.number = 2 }
    let asking = form.observe(\.number, options: [.new, .origin]) { sum += $1.new ?? 0 }
    form.number = 3
    XCTAssertGreaterThan(numberOfAllocations { form.number = 4 }, plain)
    asking.remove()
    form.number = 5
    XCTAssertEqual(numberOfAllocations { form.number = 6 }, plain)
    XCTAssertEqual(sum, 1 + 2 + 6 + 8 + 5 + 6)
  }

  func testTheOuterFunctionsFollow() {
    let form = Form()
    var functions: [String] = []
    form.observe(\.title, options: .origin) {
      functions = $1.origin?.functions.compactMap(\.name) ?? []
    }
    callSetTitle(of: form)
    XCTAssertTrue(functions.count > 2 && functions[0].contains("setTitle"))
    XCTAssertTrue(functions[1].contains("callSetTitle"), "\(functions.prefix(3))")
  }
}

private protocol Titled: AnyObject {
  var title: String { get set }
}

private final class Form: KeyValueCoding, Titled {
  @Observed var title = ""
  @Observed var items: [Int] = []
  @Observed var number = 0
  @ObservedWeak var other: Form?
  private var amount = 0

  var me: Form { self }
  var summary: String { "\(title) \(items.count)" }

  var balance: Int {
    get {
      willRead(\.balance)
      return amount
    }
    set { withChange(of: \.balance) { amount = newValue } }
  }

  var heading: String {
    get { title }
    set { title = newValue }
  }

  static let keys: KeyTable = ["title": \Form.title]

  @inline(never) func clear() {
    title = ""
    stay()
  }
}

/// Keeps the function on the stack that calls it at its end.
@inline(never) private func stay() { XCTAssertTrue(true) }

@inline(never) private func setTitle(of form: Form) {
  form.title = "set"
  stay()
}

@inline(never) private func callSetTitle(of form: Form) {
  setTitle(of: form)
  stay()
}

@inline(never) private func appendToTitle(of form: Form) {
  form.title += "!"
  stay()
}

@inline(never)
private func setByKeyPath(_ form: Form, _ path: ReferenceWritableKeyPath<Form, String>) {
  form[keyPath: path] = "key path"
  stay()
}

@inline(never)
private func changeByKeyPath(_ form: Form, _ path: ReferenceWritableKeyPath<Form, String>) {
  form[keyPath: path].append("?")
  stay()
}

@inline(never) private func setManually(_ form: Form) {
  form.withChange(of: \.title) { stay() }
  stay()
}

@inline(never) private func setInClosure(_ form: Form) {
  ["a"].forEach { form.title = $0 }
  stay()
}

@inline(never) private func setByComputed(_ form: Form) {
  form.heading = "heading"
  stay()
}

@inline(never) private func appendItem(to form: Form) {
  form.items.append(1)
  stay()
}

@inline(never) private func insertItem(in form: Form) {
  form.$items.append(1)
  stay()
}

@inline(never) private func setByKey(_ form: Form) throws {
  try form.setValue("key", forKey: "title")
  stay()
}

@inline(never) private func setThroughProtocol(_ titled: some Titled) {
  titled.title = "protocol"
  stay()
}

@inline(never) private func setInGeneric<Text: StringProtocol>(_ form: Form, _ text: Text) {
  form.title = String(text)
  stay()
}

@inline(never) private func setBalance(of form: Form) {
  form.balance = 5
  stay()
}

@inline(never) private func endOfAccess(of form: Form) {
  func change(_ title: inout String) { title = "in place" }
  change(&form.title)
  stay()
}

@inline(never) private func setInTransaction(_ form: Form) {
  withChangeTransaction {
    form.title = "transaction"
    stay()
  }
  stay()
}

@inline(never) private func setTitleTwice(of form: Form) async {
  form.title = "first"
  await Task.yield()
  form.title = "second"
  await Task.yield()
}

@inline(never) private func letGo(of form: inout Form?) {
  form = nil
  stay()
}

/// In optimised code it has left the stack when observers are called.
@inline(never) private func endsWithASet(_ form: Form) { form.title = "end" }
