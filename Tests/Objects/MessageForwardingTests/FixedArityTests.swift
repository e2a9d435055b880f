import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private struct Failure: Error, Equatable {}

/// Sums its arguments, whose numbers and places differ: a wrong order gives another sum.
private final class Sums: MessageReceiver, Sendable {
  static func weighted(_ numbers: Double...) -> Double {
    numbers.enumerated().reduce(0) { $0 + $1.element * Double($1.offset + 1) }
  }

  func five(_ a: Int32, _ b: Double, _ c: Float, _ d: Int8, _ e: Double) -> Double {
    Self.weighted(Double(a), b, Double(c), Double(d), e)
  }
  func six(
    _ a: Int32, _ b: Double, _ c: Float, _ d: Int8, _ e: Double, _ f: UInt16
  ) -> Double {
    Self.weighted(Double(a), b, Double(c), Double(d), e, Double(f))
  }
  func seven(
    _ a: Int32, _ b: Double, _ c: Float, _ d: Int8, _ e: Double, _ f: UInt16, _ g: Double
  ) -> Double {
    Self.weighted(Double(a), b, Double(c), Double(d), e, Double(f), g)
  }
  func eight(
    _ a: Int32, _ b: Double, _ c: Float, _ d: Int8, _ e: Double, _ f: UInt16, _ g: Double,
    _ h: Int64
  ) throws -> Double {
    if h < 0 { throw Failure() }
    return Self.weighted(Double(a), b, Double(c), Double(d), e, Double(f), g, Double(h))
  }

  static var methods: MethodTable {
    MethodTable(Sums.self) {
      Method("five:::::", Sums.five)
      Method("six::::::", Sums.six)
      Method("seven:::::::", Sums.seven)
      Method("eight::::::::", Sums.eight)
      Method("five of a closure:::::") {
        (self: Sums, a: Int32, b: Double, c: Float, d: Int8, e: Double) -> Double in
        self.five(a, b, c, d, e)
      }
      Method("six of a closure::::::") {
        (self: Sums, a: Int32, b: Double, c: Float, d: Int8, e: Double, f: UInt16) -> Double in
        self.six(a, b, c, d, e, f)
      }
      Method("seven of a closure:::::::") {
        (
          self: Sums, a: Int32, b: Double, c: Float, d: Int8, e: Double, f: UInt16, g: Double
        )
          -> Double in
        self.seven(a, b, c, d, e, f, g)
      }
      Method("eight of a closure::::::::") {
        (
          self: Sums, a: Int32, b: Double, c: Float, d: Int8, e: Double, f: UInt16, g: Double,
          h: Int64
        ) -> Double in
        try self.eight(a, b, c, d, e, f, g, h)
      }
      Method("nine:::::::::") {
        (
          self: Sums, a: Int32, b: Double, c: Float, d: Int8, e: Double, f: UInt16, g: Double,
          h: Int64, i: Float
        ) -> Double in
        try self.eight(a, b, c, d, e, f, g, h) + 9 * Double(i)
      }
    }
  }
}

/// Messages of five to eight arguments, which have overloads of their own, and of more.
final class FixedArityTests: XCTestCase {
  private typealias Sent = (Sums, Selector) throws -> Double

  private let five: Sent = {
    try $0.send($1, Int32(-1), 2.0, Float(3), Int8(-4), 5.0)
  }
  private let six: Sent = {
    try $0.send($1, Int32(-1), 2.0, Float(3), Int8(-4), 5.0, UInt16(6))
  }
  private let seven: Sent = {
    try $0.send($1, Int32(-1), 2.0, Float(3), Int8(-4), 5.0, UInt16(6), 7.0)
  }
  private let eight: Sent = {
    try $0.send($1, Int32(-1), 2.0, Float(3), Int8(-4), 5.0, UInt16(6), 7.0, Int64(8))
  }
  private let nine: Sent = {
    try $0.send($1, Int32(-1), 2.0, Float(3), Int8(-4), 5.0, UInt16(6), 7.0, Int64(8), Float(9))
  }

  private var all: [(send: Sent, selector: Selector, sum: Double)] {
    let numbers: [Double] = [-1, 2, 3, -4, 5, 6, 7, 8, 9]
    let sums = (0...9).map { count in
      numbers.prefix(count).enumerated().reduce(0) { $0 + $1.element * Double($1.offset + 1) }
    }
    return [
      (five, "five:::::", sums[5]), (six, "six::::::", sums[6]), (seven, "seven:::::::", sums[7]),
      (eight, "eight::::::::", sums[8]), (five, "five of a closure:::::", sums[5]),
      (six, "six of a closure::::::", sums[6]), (seven, "seven of a closure:::::::", sums[7]),
      (eight, "eight of a closure::::::::", sums[8]), (nine, "nine:::::::::", sums[9]),
    ]
  }

  func testEveryNumberOfArgumentsArrives() throws {
    let object = Sums()
    for (send, selector, sum) in all { XCTAssertEqual(try send(object, selector), sum) }
  }

  func testHooksSeeAndChangeThem() throws {
    for (send, selector, sum) in all {
      let object = Sums()
      let seen = Recorder<[Double]>()
      let hook = try object.target(selector).hook { call in
        seen.record([
          Double(try call.argument(2, as: Int32.self)), try call.argument(3, as: Double.self),
          Double(try call.argument(4, as: Float.self)), Double(try call.argument(5, as: Int8.self)),
          try call.argument(6, as: Double.self),
        ])
        try call.setArgument(6, 105.0)
        try call.proceed()
        try call.setResult(call.result(as: Double.self) + 0.5)
      }
      XCTAssertEqual(try send(object, selector), sum + 500.5, "\(selector)")
      XCTAssertEqual(seen.entries, [[-1, 2, 3, -4, 5]])
      hook.remove()
      XCTAssertEqual(try send(object, selector), sum)
    }
  }

  func testTheAnswerMayBeIgnoredAndErrorsArrive() throws {
    let object = Sums()
    for isHooked in [false, true] {
      let hook = isHooked ? try object.target("eight::::::::").hook { try $0.proceed() } : nil
      for number in [Int64(8), -8] {
        do {
          try object.send(
            "eight::::::::", Int32(1), 2.0, Float(3), Int8(4), 5.0, UInt16(6), 7.0, number)
          XCTAssertEqual(number, 8)
        } catch {
          XCTAssertEqual(number, -8)
          XCTAssertEqual(error.underlyingError as? Failure, Failure())
        }
      }
      hook?.remove()
    }
  }

  func testOtherTypesAreConverted() throws {
    let object = Sums()
    XCTAssertEqual(try object.send("five:::::", -1, 2, 3, -4, 5, returning: Double.self), 21)
    expectError(.valueOutOfRange) { try object.send("five:::::", -1, 2, 3, 1_000, 5) }
    expectError(.argumentCount) {
      try object.send("five:::::", Int32(-1), 2.0, Float(3), Int8(-4), 5.0, UInt16(6))
    }
  }

  func testBlocksAreRefused() {
    let block: @convention(block) () -> Void = {}
    expectError(.typeMismatch, "block") { try Sums().send("five:::::", 1, 2, 3, 4, block) }
    expectError(.typeMismatch, "block") {
      _ = try Sums().send("eight::::::::", 1, 2, 3, 4, 5, 6, 7, block) as Int
    }
  }
}
