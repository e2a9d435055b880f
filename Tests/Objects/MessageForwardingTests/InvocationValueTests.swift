import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

/// Values of all types through messages and invocations, direct and forwarded.
final class InvocationValueTests: XCTestCase {
  private let remote = Remote()

  /// The receiver itself, and proxies that forward to it in each way.
  private var receivers: [any MessageReceiver] {
    [
      remote, NamingProxy(remote), InvocationProxy(remote), TypedProxy(remote),
      NamingProxy(InvocationProxy(TypedProxy(remote))),
    ]
  }

  /// Sends a message, and an invocation of it, to each receiver.
  private func expect<Value: Equatable>(
    _ selector: Selector, _ expected: Value, line: UInt = #line
  ) throws {
    for receiver in receivers {
      XCTAssertEqual(
        try receiver.send(selector), expected, "\(type(of: receiver))", line: line)
      let invocation = try receiver.record { try $0.send(selector) }
      try invocation.send()
      XCTAssertEqual(try invocation.result(), expected, "\(type(of: receiver))", line: line)
    }
  }

  private func expect<Value: Equatable>(
    _ selector: Selector, _ argument: Value, gives expected: Value, line: UInt = #line
  ) throws {
    for receiver in receivers {
      XCTAssertEqual(
        try receiver.send(selector, argument), expected, "\(type(of: receiver))", line: line)
      let invocation = try receiver.record { try $0.send(selector, argument) }
      try invocation.send()
      XCTAssertEqual(try invocation.result(), expected, "\(type(of: receiver))", line: line)
    }
  }

  func testResultsOfAllTypesArrive() throws {
    try expect("char", Int8(99))
    try expect("short", Int16(12345))
    try expect("int", Int32(123456))
    try expect("long", Int(123456))
    try expect("float", Float(123.456))
    try expect("double", 123.456)
    try expect("text", "owned")
    try expect("object", remote.object)
  }

  func testArgumentsOfAllTypesArrive() throws {
    try expect("addChar:", Int8(99), gives: 100)
    try expect("addShort:", Int16(12345), gives: 12346)
    try expect("addInt:", Int32(123456), gives: 123457)
    try expect("addLong:", Int(123456), gives: 123457)
    try expect("addFloat:", Float(123.456), gives: 124.456)
    try expect("addDouble:", 123.456, gives: 124.456)
    try expect("same:", remote.object, gives: remote.object)
  }

  func testTheGreatestAndLeastNumbersArrive() throws {
    func extremes<Number: FixedWidthInteger>(_ selector: Selector, _ type: Number.Type) throws {
      try expect(selector, Number.max, gives: .max)
      try expect(selector, Number.min, gives: .min)
    }
    try extremes("int8:", Int8.self)
    try extremes("uint8:", UInt8.self)
    try extremes("int16:", Int16.self)
    try extremes("uint16:", UInt16.self)
    try extremes("int32:", Int32.self)
    try extremes("uint32:", UInt32.self)
    try extremes("int64:", Int64.self)
    try extremes("uint64:", UInt64.self)
    try expect("float:", Float.greatestFiniteMagnitude, gives: .greatestFiniteMagnitude)
    try expect("double:", Double.greatestFiniteMagnitude, gives: .greatestFiniteMagnitude)
    try expect("double:", -Double.infinity, gives: -.infinity)
  }

  func testStructuresArrive() throws {
    try expect("small:", Small(letter: 7, number: 8), gives: Small(letter: 8, number: 9))
    try expect(
      "large:", Large(number: 1, ratio: 2.5), gives: Large(number: 2, ratio: 5))
    try expect(
      "swapRect:", Rect(origin: Pair(a: 1, b: 2), size: Pair(a: 3, b: 4)),
      gives: Rect(origin: Pair(a: 3, b: 4), size: Pair(a: 1, b: 2)))
    try expect("swapPair:", Pair(a: 1, b: 2), gives: Pair(a: 2, b: 1))
  }

  func testSwiftValuesArrive() throws {
    try expect("colour:", Page.Colour.green, gives: .green)
    try expect("counts:", ["a": 1], gives: ["a": 1])
    try expect("maybe:", Int?.none, gives: nil)
    try expect("maybe:", 3 as Int?, gives: 3)
  }

  func testTheMemoryBehindAPointerIsChanged() throws {
    for receiver in receivers {
      var text = Array("Hello There".utf8CString)
      unsafe try text.withUnsafeMutableBufferPointer { text in
        unsafe try receiver.send("changeText:", text.baseAddress)
      }
      XCTAssertEqual(text, Array("Iello There".utf8CString))
      // An invocation that was recorded has a copy.
      let invocation = try receiver.record { try $0.send("changeText:", "Hello There") }
      try invocation.send()
      XCTAssertEqual(try invocation.argument(2, as: String.self), "Iello There")
    }
  }

  func testBitFieldsArrive() throws {
    let flags = (0..<10).map { CValue($0 % 2) }
    let rows: [(record: String, values: [CValue], changed: [CValue])] = [
      ("{three=b0i3b3i5b8i7}", [3, 5, 7], [3, 5, 7]),
      ("{ten=" + (0..<10).map { "b\($0)I1" }.joined() + "}", flags, flags.reversed()),
      ("{two=b0I20b32I20}", [1, 0xF_FFFF], [0xF_FFFF, 1]),
    ]
    for (record, values, changed) in rows {
      let shape = try DynamicClass("Shape \(record)")
      shape.addMethod(
        Method("turn:", signature: "\(record)@:\(record)") { call in
          guard case .structure(let members) = try call.argumentValue(2) else { return }
          let isTurned = members.count != 3
          try call.setResultValue(.structure(isTurned ? members.reversed() : members))
        })
      try shape.register()
      let object = try shape.makeInstance()
      let proxies: [any MessageReceiver] = [NamingProxy(object), InvocationProxy(object)]
      for receiver in [object] + proxies {
        XCTAssertEqual(
          try receiver.send("turn:", values: [.structure(values)]), .structure(changed), record)
      }
    }
  }

  func testAMessageMayHaveManyArguments() throws {
    for count in [0, 1, 252, 253] {
      let name = Selector(String(repeating: "a:", count: count) + (count == 0 ? "a" : ""))
      let invocation = try Invocation(
        message: name, signature: "v@:" + String(repeating: "i", count: count))
      XCTAssertEqual(invocation.signature.arguments.count, count + 2)
    }
    let endless = String(repeating: "i", count: 1_500_000)
    XCTAssertThrowsError(try Invocation(message: "a:", signature: "v@:" + endless))
    XCTAssertThrowsError(try Invocation(message: "a:", signature: ""))
  }
}

// MARK: - The receiver

private struct Small: Equatable {
  var letter: Int8
  var number: Int32
}

@safe
private struct Large: Equatable {
  var number: Int32
  var text: UnsafeMutablePointer<CChar>?
  var ratio: Float

  init(number: Int32, ratio: Float) {
    self.number = number
    unsafe text = nil
    self.ratio = ratio
  }

  static func == (first: Large, second: Large) -> Bool {
    // SAFETY: addresses are compared.
    let isSameText = unsafe first.text == second.text
    return isSameText && first.number == second.number && first.ratio == second.ratio
  }
}

private struct Pair: Equatable {
  var a: Double
  var b: Double
}

private struct Rect: Equatable {
  var origin: Pair
  var size: Pair
}

private final class Remote: MessageReceiver {
  final class Thing: Equatable {
    static func == (first: Thing, second: Thing) -> Bool { first === second }
  }

  let object = Thing()

  static var methods: MethodTable {
    MethodTable(Remote.self) {
      Method("char") { (_: Remote) -> Int8 in 99 }
      Method("short") { (_: Remote) -> Int16 in 12345 }
      Method("int") { (_: Remote) -> Int32 in 123456 }
      Method("long") { (_: Remote) -> Int in 123456 }
      Method("float") { (_: Remote) -> Float in 123.456 }
      Method("double") { (_: Remote) -> Double in 123.456 }
      Method("text") { (_: Remote) -> String in "owned" }
      Method("object") { (self: Remote) -> Thing in self.object }
      Method("addChar:") { (_: Remote, x: Int8) in x + 1 }
      Method("addShort:") { (_: Remote, x: Int16) in x + 1 }
      Method("addInt:") { (_: Remote, x: Int32) in x + 1 }
      Method("addLong:") { (_: Remote, x: Int) in x + 1 }
      Method("addFloat:") { (_: Remote, x: Float) in x + 1 }
      Method("addDouble:") { (_: Remote, x: Double) in x + 1 }
      Method("same:") { (_: Remote, x: Thing) in x }
      Method("int8:") { (_: Remote, x: Int8) in x }
      Method("uint8:") { (_: Remote, x: UInt8) in x }
      Method("int16:") { (_: Remote, x: Int16) in x }
      Method("uint16:") { (_: Remote, x: UInt16) in x }
      Method("int32:") { (_: Remote, x: Int32) in x }
      Method("uint32:") { (_: Remote, x: UInt32) in x }
      Method("int64:") { (_: Remote, x: Int64) in x }
      Method("uint64:") { (_: Remote, x: UInt64) in x }
      Method("float:") { (_: Remote, x: Float) in x }
      Method("double:") { (_: Remote, x: Double) in x }
      Method("colour:") { (_: Remote, x: Page.Colour) in x }
      Method("counts:") { (_: Remote, x: [String: Int]) in x }
      Method("maybe:") { (_: Remote, x: Int?) in x }
      Method("small:") { (_: Remote, x: Small) in
        Small(letter: x.letter + 1, number: x.number + 1)
      }
      Method("large:") { (_: Remote, x: Large) in
        Large(number: x.number + 1, ratio: x.ratio * 2)
      }
      Method("swapRect:") { (_: Remote, x: Rect) in Rect(origin: x.size, size: x.origin) }
      Method("swapPair:") { (_: Remote, x: Pair) in Pair(a: x.b, b: x.a) }
      unsafe Method("changeText:") { (_: Remote, text: UnsafeMutablePointer<CChar>?) in
        // SAFETY: the sender passes a string of its own.
        if let text = unsafe text { unsafe text.pointee += 1 }
      }
    }
  }
}
