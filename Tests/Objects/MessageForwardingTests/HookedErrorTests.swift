import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// What a method or a handler throws.
private struct Failure: Error, Equatable {
  let number: Int
}

/// An error that holds an object.
private struct Kept: Error {
  let object: LifetimeTracker.Tracked
}

/// A record in memory, as a result.
private struct Wide: Equatable {
  var a = 1.0, b = 2.0, c = 3.0
}

/// A class whose methods throw as long as they are told to.
private class Fragile: MessageReceiver, @unchecked Sendable {
  // SAFETY: each test uses its objects on its own thread.

  var failures: [Int?] = []

  /// Throws the next failure, if there is one.
  func fail() throws {
    if !failures.isEmpty, let number = failures.removeFirst() { throw Failure(number: number) }
  }

  class var methods: MethodTable {
    MethodTable(Fragile.self) {
      Method("number:") { (self: Fragile, number: Int64) -> Int64 in
        try self.fail()
        return number
      }
      Method("text") { (self: Fragile) -> String in
        try self.fail()
        return "text"
      }
      Method("nothing") { (self: Fragile) in try self.fail() }
      Method("framed", signature: "{Wide=ddd}@:") { call in
        try call.argument(0, as: Fragile.self).fail()
        try call.setResultValue(.structure([.double(1), .double(2), .double(3)]))
      }
    }
  }
}

private final class Lesser: Fragile, @unchecked Sendable {
  override class var methods: MethodTable { MethodTable(Lesser.self) }
}

/// The error that a message throws, as the sender sees it.
private func failure(_ body: () throws -> Void) -> Failure? {
  do { try body() } catch {
    XCTAssertEqual((error as? MessageError)?.code, .thrown, "\(error)")
    return (error as? MessageError)?.underlyingError as? Failure
  }
  return nil
}

/// What hooks do with the errors of methods.
final class HookedErrorTests: XCTestCase {
  private var hooks: [Hook] = []

  override func tearDown() {
    for hook in hooks { hook.remove() }
    hooks = []
  }

  func testWhatAMethodThrowsIsPrintedInPlaceOfItsResult() throws {
    let object = Fragile()
    let lines = Recorder<String>()
    try object.target("number:").install(.printing { lines.record($0) })
    object.failures = [3, nil]
    XCTAssertThrowsError(try object.send("number:", 5 as Int64) as Int64)
    XCTAssertEqual(try object.send("number:", 5 as Int64), 5 as Int64)
    let printed = lines.entries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    XCTAssertEqual(printed, ["→ error \(Failure(number: 3))", "→ i64 5"])
  }

  func testEachPositionSeesTheErrorInPlaceOfAResultAndItPassesOn() throws {
    for selector in ["number:", "text", "nothing", "framed"] as [Selector] {
      let object = Lesser()
      object.failures = [7]
      let steps = Recorder<String>()
      let hook = try object.target(selector).hook([.before, .instead, .after]) { call in
        if call.position == .instead {
          XCTAssertNil(call.error)
          try call.proceed()
        }
        steps.record("\(call.position) \((call.error as? Failure)?.number ?? 0)")
        guard call.position != .before else { return }
        XCTAssertNil(call.resultText)
        for read in [
          { (call: inout CallFrame) in _ = try call.resultValue() },
          { (call: inout CallFrame) in _ = try call.result(as: Int64.self) },
          { (call: inout CallFrame) in _ = try call.result(as: String.self) },
        ] {
          do {
            try read(&call)
            XCTFail("\(selector): a result")
          } catch let error as InvocationError {
            XCTAssertEqual(error.code, .noResult)
            if selector != "nothing" {
              XCTAssertTrue(error.message.contains("Failure(number: 7)"), error.message)
            }
          }
        }
      }
      XCTAssertEqual(
        failure {
          if selector == "number:" {
            _ = try object.send(selector, Int64(1), returning: Int64.self)
          } else {
            try object.send(selector)
          }
        }, Failure(number: 7), selector.name)
      XCTAssertEqual(steps.entries, ["before 0", "instead 7", "after 7"], selector.name)
      hook.remove()
    }
  }

  func testAHandlerAnswersInTheMethodsPlace() throws {
    for positions in [HookPositions.instead, .after] {
      let object = Lesser()
      object.failures = [1, 2, 3]
      hooks = [
        try object.target("number:").hook(positions) { call in
          if call.position == .instead { try call.proceed() }
          XCTAssertNotNil(call.error)
          try call.setResult(Int64(40))
          XCTAssertNil(call.error)
          try call.setResult(call.result(as: Int64.self) + 2)
        },
        try object.target("text").hook(positions) { call in
          if call.position == .instead { try call.proceed() }
          try call.setResult("answered")
        },
        try object.target("nothing").hook(positions) { call in
          if call.position == .instead { try call.proceed() }
          try call.setError(nil)
          XCTAssertNil(call.error)
        },
      ]
      XCTAssertEqual(try object.send("number:", Int64(1)), 42 as Int64)
      XCTAssertEqual(try object.send("text"), "answered")
      XCTAssertNil(failure { try object.send("nothing") })
      tearDown()
    }
  }

  func testWhatAHandlerThrowsIsItsOwnAndTheMethodsErrorPassesOn() throws {
    let object = Lesser()
    object.failures = [1]
    let reported = Recorder<Int>()
    hooks = [
      try object.target("nothing").hook(onError: { reported.record(($0 as? Failure)?.number ?? 0) })
      { call in
        try call.proceed()
        if call.error != nil { throw Failure(number: 9) }
      }
    ]
    XCTAssertEqual(failure { try object.send("nothing") }, Failure(number: 1))
    XCTAssertEqual(reported.entries, [9])
  }

  /// What one hook does.
  private enum Action: CaseIterable {
    case passes, retries, answers, translates, throwsAfresh, forgives, watches
  }

  /// How a call ends.
  private enum Outcome: Equatable {
    case none
    case result(Int64)
    case error(Int)
  }

  func testTwoHooksDoAnythingWithAnyErrors() throws {
    for inner in Action.allCases {
      for outer in Action.allCases {
        for failures in [[], [1], [1, 2], [nil, 2], [1, nil, 3], [1, 2, 3, 4]] as [[Int?]] {
          let object = Lesser()
          object.failures = failures
          let seen = Recorder<String>()
          hooks = try [inner, outer].map { try install($0, on: object, seen) }
          var model = (failures: failures, seen: [String]())
          let expected = Self.model([outer, inner], &model)
          var outcome = Outcome.none
          do { outcome = .result(try object.send("number:", Int64(5))) } catch {
            outcome = .error(try XCTUnwrap((error.underlyingError as? Failure)?.number))
          }
          let message = "\(outer) around \(inner), \(failures)"
          XCTAssertEqual(outcome, expected == .none ? .result(0) : expected, message)
          XCTAssertEqual(seen.entries, model.seen, message)
          tearDown()
        }
      }
    }
  }

  private func install(
    _ action: Action, on object: Lesser, _ seen: Recorder<String>
  ) throws -> Hook {
    try object.target("number:").hook(action == .watches ? .after : .instead) { call in
      switch action {
      case .watches: break
      case .retries:
        try call.proceed()
        if call.error != nil { try call.proceed() }
      default: try call.proceed()
      }
      let error = (call.error as? Failure)?.number
      seen.record("\(action) \(error.map { "\($0)" } ?? call.resultText ?? "nothing")")
      switch action {
      case .answers: if error != nil { try call.setResult(Int64(50)) }
      case .translates: if let error { try call.setError(Failure(number: error + 10)) }
      case .throwsAfresh: try call.setError(Failure(number: 99))
      case .forgives: try call.setError(nil)
      case .passes, .retries, .watches: break
      }
    }
  }

  private static func model(
    _ actions: [Action], _ state: inout (failures: [Int?], seen: [String])
  ) -> Outcome {
    guard let action = actions.first else {
      if !state.failures.isEmpty, let number = state.failures.removeFirst() {
        return .error(number)
      }
      return .result(5)
    }
    var outcome = model(Array(actions.dropFirst()), &state)
    if action == .retries, case .error = outcome {
      let second = model(Array(actions.dropFirst()), &state)
      outcome = second
    }
    switch outcome {
    case .none: state.seen.append("\(action) nothing")
    case .result(let number): state.seen.append("\(action) i64 \(number)")
    case .error(let number): state.seen.append("\(action) \(number)")
    }
    switch (action, outcome) {
    case (.answers, .error): return .result(50)
    case (.translates, .error(let number)): return .error(number + 10)
    case (.throwsAfresh, _): return .error(99)
    case (.forgives, .error): return .none
    default: return outcome
    }
  }

  func testHooksOfInstanceClassAndSuperclassSeeItWhicheverWayTheMessageCame() throws {
    let object = Lesser()
    let steps = Recorder<String>()
    @Sendable func step(_ call: inout CallFrame, _ name: String) {
      let error = (call.error as? Failure).map { " threw \($0.number)" } ?? ""
      steps.record("\(name) \(call.position)\(error)")
    }
    let names = ["superclass", "class", "instance"]
    hooks = [
      try Fragile.target("number:").hook(.after) { call in step(&call, names[0]) },
      try Lesser.target("number:").hook { call in
        try call.proceed()
        step(&call, names[1])
      },
      try object.target("number:").hook(when: .where { _ in true }) { call in
        try call.proceed()
        step(&call, names[2])
      },
    ]
    let ways: [(String, (Lesser) throws -> Void)] = [
      ("sent", { try $0.send("number:", Int64(1)) }),
      ("converted", { _ = try $0.send("number:", Int32(1), returning: Double.self) }),
      ("boxed", { try $0.send("number:", values: [.integer(1)]) }),
      (
        "invoked",
        { object in try object.record { try $0.send("number:", Int64(1)) }.send(to: object) }
      ),
      ("forwarded", { try WeakProxy($0).send("number:", Int64(1)) }),
    ]
    for (number, (name, way)) in ways.enumerated() {
      let before = steps.entries.count
      object.failures = [number + 1]
      XCTAssertEqual(failure { try way(object) }, Failure(number: number + 1), name)
      XCTAssertEqual(
        Array(steps.entries[before...]),
        ["after", "instead", "instead"].enumerated().map {
          "\(names[$0.offset]) \($0.element) threw \(number + 1)"
        }, name)
    }
    let before = steps.entries.count
    object.failures = [8]
    XCTAssertEqual(
      failure { try object.sendSuper(of: Lesser.classObject, "number:", Int64(1)) },
      Failure(number: 8))
    XCTAssertEqual(Array(steps.entries[before...]), ["superclass after threw 8"])
  }

  func testErrorsOfMessagesThatAHandlerSendsAreNotThoseOfItsCall() throws {
    let object = Lesser()
    let other = Lesser()
    hooks = [
      try object.target("number:").hook { call in
        other.failures = [3]
        XCTAssertEqual(failure { try other.send("nothing") }, Failure(number: 3))
        XCTAssertNil(call.error)
        try call.proceed()
        other.failures = [4]
        XCTAssertEqual(failure { try other.send("nothing") }, Failure(number: 4))
        XCTAssertEqual(call.error as? Failure, Failure(number: 1))
      }
    ]
    object.failures = [1]
    XCTAssertEqual(failure { try object.send("number:", Int64(1)) }, Failure(number: 1))
  }

  func testAnErrorNeedsASenderAndAnAnswerInItsTime() throws {
    let object = Lesser()
    let codes = Recorder<String>()
    let handler: @Sendable (inout CallFrame) throws -> Void = { call in
      XCTAssertNil(call.error)
      if call.position == .instead { try call.proceed() }
      do { try call.setError(Failure(number: 1)) } catch {
        codes.record("\(call.position) \((error as? InvocationError)?.code.rawValue ?? "\(error)")")
      }
    }
    hooks = [try object.target("nothing").hook(.before, handler)]
    try object.send("nothing")
    let block = try Block(signature: "v@?") { _ in }
    hooks.append(try block.hook([.before, .instead, .after], handler))
    try block.call()
    XCTAssertEqual(
      codes.entries,
      ["before cannotThrow", "before cannotThrow", "instead cannotThrow", "after cannotThrow"])
  }

  func testErrorsAreFreed() throws {
    let tracker = LifetimeTracker()
    let object = Lesser()
    let before = try object.target("number:").hook { call in
      try call.setError(Kept(object: tracker.track()))
      XCTAssertNotNil(call.error)
      try call.setError(Kept(object: tracker.track()))
    }
    XCTAssertThrowsError(try object.send("number:", Int64(1)))
    let answered = try object.target("number:").hook { call in
      try call.proceed()
      try call.setResult(Int64(2))
    }
    XCTAssertEqual(try object.send("number:", Int64(1)), 2 as Int64)
    answered.remove()
    before.remove()
    tracker.expectNothingAlive()
  }
}
