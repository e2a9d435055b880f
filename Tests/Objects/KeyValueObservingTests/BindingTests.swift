import KeyValueObserving
import TestSupport
import XCTest

/// Properties that follow each other.
final class BindingTests: XCTestCase {
  private final class Field: KeyValueObservable {
    @Observed var text = ""
    @Observed var copy = ""
  }

  private final class Model: KeyValueObservable {
    @Observed var age = 1
    @Observed var note: LifetimeNote?
  }

  private final class LifetimeNote {}

  @discardableResult
  private func bind(_ field: Field, _ model: Model) -> KeyValueObservation {
    field.bind(\.text, to: model, \.age, converting: { "\($0)" }, back: { Int($0) })
  }

  func testEachPassesItsChangesOnOnce() {
    let (field, model) = (Field(), Model())
    var log: [String] = []
    field.observe(\.text) { log.append("text \($1.new ?? "")") }
    model.observe(\.age) { log.append("age \($1.new ?? 0)") }
    bind(field, model)
    XCTAssertEqual(log, ["text 1"])
    model.age = 2
    field.text = "3"
    XCTAssertEqual(log, ["text 1", "age 2", "text 2", "text 3", "age 3"])
  }

  func testWhatCannotBeConvertedIsNotPassedOnAndWhatMeansTheSameStays() {
    let (field, model) = (Field(), Model())
    bind(field, model)
    field.text = "x"
    XCTAssertEqual(model.age, 1)
    field.text = "007"
    XCTAssertEqual(model.age, 7)
    XCTAssertEqual(field.text, "007")
    model.age = 7
    XCTAssertEqual(field.text, "007")
    model.age = 8
    XCTAssertEqual(field.text, "8")
  }

  func testACorrectionIsPassedBack() {
    let (field, model) = (Field(), Model())
    model.observe(\.age) { model, change in if model.age > 100 { model.age = 100 } }
    bind(field, model)
    field.text = "500"
    XCTAssertEqual(model.age, 100)
    XCTAssertEqual(field.text, "100")
  }

  func testConversionsAndCorrectionsThatNeverAgreeEnd() {
    let (field, model) = (Field(), Model())
    field.bind(\.text, to: model, \.age, converting: { "\($0 + 1)" }, back: { Int($0) })
    model.age = 5
    field.text = "20"
    XCTAssertEqual(model.age, 20)
    // One makes numbers even, the other odd; at most a hundred times.
    let (odd, even) = (Field(), Model())
    bind(odd, even)
    var corrections = 0
    even.observe(\.age) { model, _ in
      guard !model.age.isMultiple(of: 2), corrections < 100 else { return }
      corrections += 1
      model.age += 1
    }
    odd.observe(\.text) { field, _ in
      if let number = Int(field.text), number.isMultiple(of: 2) { field.text = "\(number + 1)" }
    }
    odd.text = "3"
    XCTAssertTrue((1..<5).contains(corrections), "\(corrections)")
  }

  func testARingOfThreeAndTwoPropertiesOfOneObject() {
    let fields = (0..<3).map { _ in Field() }
    for index in 0..<3 { fields[index].bind(\.text, to: fields[(index + 1) % 3], \.text) }
    fields[0].bind(\.copy, to: fields[0], \.text)
    for (index, field) in fields.enumerated() {
      field.text = "\(index)"
      XCTAssertEqual(fields.map(\.text) + [fields[0].copy], Array(repeating: "\(index)", count: 4))
    }
    fields[0].copy = "c"
    XCTAssertEqual(fields.map(\.text), ["c", "c", "c"])
  }

  func testItIsRemovedAndSuspendedLikeAnyObservation() {
    let (field, model) = (Field(), Model())
    let binding = bind(field, model)
    XCTAssertTrue(field.observations.contains { $0 === binding })
    binding.suspend()
    model.age = 2
    XCTAssertEqual(field.text, "1")
    binding.resume(tellingLast: true)
    XCTAssertEqual(field.text, "2")
    XCTAssertEqual(field.removeObservers(of: \.text), 1)
    model.age = 3
    field.text = "4"
    XCTAssertEqual(field.text, "4")
    XCTAssertEqual(model.age, 3)
  }

  func testATransactionPassesTheLastValuesOn() {
    let (field, model) = (Field(), Model())
    bind(field, model)
    withChangeTransaction {
      model.age = 2
      model.age = 3
      XCTAssertEqual(field.text, "1")
    }
    XCTAssertEqual(field.text, "3")
  }

  func testTheEndOfEitherSideEndsItAndNeitherRetainsTheOther() {
    for isField in [true, false] {
      let tracker = LifetimeTracker()
      var field: Field? = Field()
      var model: Model? = Model()
      weak let (weakField, weakModel) = (field, model)
      var binding: KeyValueObservation?
      if let field, let model {
        let tracked = tracker.track()
        binding = field.bind(
          \.text, to: model, \.age,
          converting: { value in withExtendedLifetime(tracked) { "\(value)" } }, back: { Int($0) })
      }
      XCTAssertEqual(tracker.alive, 1)
      if isField { field = nil } else { model = nil }
      XCTAssertTrue(isField ? weakField == nil : weakModel == nil)
      XCTAssertEqual(binding?.isRemoved, true)
      tracker.expectNothingAlive()
      field?.text = "5"
      model?.age = 5
      XCTAssertTrue(withExtendedLifetime((field, model)) { field?.observations.isEmpty ?? true })
    }
  }
}
