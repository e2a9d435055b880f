import BlockABI
import CFixtures
import Invocations
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: the functions have the signatures that they are called by.

/// Calls of up to eight values, which are specialised where all are numbers of the signature's
/// types.
final class FixedArityTests: XCTestCase {
  /// The arguments of a call, one digit each, from an index on.
  private static func digits(_ call: inout CallFrame, from first: Int) throws -> Int {
    var number = 0
    for index in first..<call.signature.arguments.count {
      number *= 10
      switch try call.argumentValue(index) {
      case .integer(let value): number += Int(value)
      case .float(let value): number += Int(value)
      case .double(let value): number += Int(value)
      default: XCTFail("no number")
      }
    }
    return number
  }

  /// A function that returns its digits, and records them.
  private func function(
    _ signature: String, _ seen: Recorder<Int>
  ) throws -> (function: CFunction, owner: FunctionPointer) {
    let returnsDigits = signature.hasPrefix("q")
    let pointer = try FunctionPointer(signature: signature) { call in
      let digits = try Self.digits(&call, from: 0)
      seen.record(digits)
      if returnsDigits { try call.setResult(digits) }
    }
    let function = unsafe try CFunction(
      unsafeAddress: pointer.unsafeAddress, signature: signature)
    return (function, pointer)
  }

  /// The same as a block.
  private func block(_ encodings: String, _ seen: Recorder<Int>) throws -> Block {
    try Block(signature: "q@?" + encodings) { call in
      let digits = try Self.digits(&call, from: 1)
      seen.record(digits)
      try call.setResult(digits)
    }
  }

  func testAFunctionTakesUpToNineValuesInTheirOrder() throws {
    let seen = Recorder<Int>()
    for type in ["i", "q"] {
      for count in 0...9 {
        let (function, owner) = try self.function("q" + String(repeating: type, count: count), seen)
        let small = try call(function, count, Int32(0))
        let large = try call(function, count, 0)
        XCTAssertEqual(small, Int("0" + "123456789".prefix(count)), "\(function)")
        XCTAssertEqual(large, small, "\(function)")
        withExtendedLifetime(owner) {}
      }
    }
  }

  /// Calls with 1, 2, 3 and so on, as numbers of a type.
  private func call<Value: FixedWidthInteger>(
    _ f: CFunction, _ count: Int, _ zero: Value
  ) throws -> Int {
    let n = (0...9).map { Value($0) }
    switch count {
    case 0: return try f()
    case 1: return try f(n[1])
    case 2: return try f(n[1], n[2])
    case 3: return try f(n[1], n[2], n[3])
    case 4: return try f(n[1], n[2], n[3], n[4])
    case 5: return try f(n[1], n[2], n[3], n[4], n[5])
    case 6: return try f(n[1], n[2], n[3], n[4], n[5], n[6])
    case 7: return try f(n[1], n[2], n[3], n[4], n[5], n[6], n[7])
    case 8: return try f(n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])
    default: return try f(n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9])
    }
  }

  func testABlockTakesUpToEightValuesInTheirOrderAndAgain() throws {
    let seen = Recorder<Int>()
    let (a, b, c, d) = (1, Int32(2), 3, 4.0)
    let (e, f, g, h) = (5, UInt8(6), Int16(7), Float(8))
    let encodings = "qiqdqCsf"
    var expected: [Int] = []
    for count in 0...8 {
      let block = try self.block(String(encodings.prefix(count)), seen)
      // The first call of a block finds its interface; the others are short.
      for _ in 0..<3 {
        let number: Int
        switch count {
        case 0:
          number = try block.call()
          try block.call()
        case 1:
          number = try block.call(a)
          try block.call(a)
        case 2:
          number = try block.call(a, b)
          try block.call(a, b)
        case 3:
          number = try block.call(a, b, c)
          try block.call(a, b, c)
        case 4:
          number = try block.call(a, b, c, d)
          try block.call(a, b, c, d)
        case 5:
          number = try block.call(a, b, c, d, e)
          try block.call(a, b, c, d, e)
        case 6:
          number = try block.call(a, b, c, d, e, f)
          try block.call(a, b, c, d, e, f)
        case 7:
          number = try block.call(a, b, c, d, e, f, g)
          try block.call(a, b, c, d, e, f, g)
        default:
          number = try block.call(a, b, c, d, e, f, g, h)
          try block.call(a, b, c, d, e, f, g, h)
        }
        XCTAssertEqual(number, Int("0" + "12345678".prefix(count)))
        expected += [number, number]
      }
    }
    XCTAssertEqual(seen.entries, expected)
  }

  func testAFunctionIsCalledForWhatItDoes() throws {
    let seen = Recorder<Int>()
    let (a, b, c, d) = (1, Int32(2), 3, 4.0)
    let (e, f, g, h) = (5, UInt8(6), Int16(7), Float(8))
    let encodings = "qiqdqCsf"
    for count in 0...8 {
      let (function, owner) = try self.function("v" + encodings.prefix(count), seen)
      switch count {
      case 0: try function()
      case 1: try function(a)
      case 2: try function(a, b)
      case 3: try function(a, b, c)
      case 4: try function(a, b, c, d)
      case 5: try function(a, b, c, d, e)
      case 6: try function(a, b, c, d, e, f)
      case 7: try function(a, b, c, d, e, f, g)
      default: try function(a, b, c, d, e, f, g, h)
      }
      XCTAssertEqual(seen.entries.last, Int("0" + "12345678".prefix(count)))
      expectError(.noResult) { let _: Int = try function() }
      withExtendedLifetime(owner) {}
    }
  }

  func testNumbersThatMatchAreNotConverted() throws {
    let minus: @convention(c) (Int8) -> Int8 = { -$0 }
    let negate = unsafe try CFunction(
      unsafeAddress: unsafeBitCast(minus, to: UnsafeRawPointer.self), signature: "cc")
    XCTAssertEqual(try negate(Int8(-128 + 1), returning: Int8.self), 127)
    XCTAssertEqual(try negate(Int8(5)), -5 as Int8)
    XCTAssertEqual(try negate(5), -5 as Int)
    expectError(.valueOutOfRange) { let _: Int8 = try negate(300) }
    expectError(.typeMismatch) { let _: Int8 = try negate(Float(1)) }
    let ldexp = unsafe try CFunction(symbol: "ldexpf", signature: "ffi")
    XCTAssertEqual(try ldexp(Float(0.75), Int32(2)), Float(3))
    XCTAssertEqual(try ldexp(0.75, 2), 3.0)
  }

  func testPointersPassAsTheyAre() throws {
    let strlen = unsafe try CFunction(symbol: "strlen", signature: "Q^v")
    let strstr = unsafe try CFunction(symbol: "strstr", signature: "^v^v^v")
    var bytes = Array("key=value".utf8CString)
    try unsafe bytes.withUnsafeMutableBytes { bytes in
      let address = unsafe UnsafeMutableRawPointer(bytes.baseAddress)
      let length: UInt = unsafe try strlen(address)
      XCTAssertEqual(length, 9)
      let found: UnsafeRawPointer? = unsafe try strstr(address, address)
      unsafe XCTAssertEqual(found, UnsafeRawPointer(address))
    }
  }

  func testClosuresAreRefusedAtEveryPlace() throws {
    let closure: @convention(block) (Int32) -> Int32 = { $0 }
    let add: @convention(block) (Int32, Int32) -> Int32 = { $0 + $1 }
    let block = try Block(add)
    let abs = unsafe try CFunction(symbol: "abs", signature: "ii")
    for _ in 0..<2 {
      expectError(.typeMismatch) { try block.call(closure) }
      expectError(.typeMismatch) { try block.call(closure, Int32(2)) }
      expectError(.typeMismatch) { try block.call(Int32(1), closure) }
      expectError(.typeMismatch) {
        let _: Int32 = try block.call(Int32(1), closure)
      }
      expectError(.typeMismatch) {
        let _: @convention(block) (Int32) -> Int32 = try block.call(Int32(1), Int32(2))
      }
      expectError(.typeMismatch) { try abs(closure) }
      expectError(.typeMismatch) { let _: Int32 = try abs(closure) }
      expectError(.typeMismatch) {
        try abs(closure, closure, closure, closure, closure, closure, closure, closure)
      }
      expectError(.typeMismatch) {
        let _: @convention(block) (Int32) -> Int32 = try abs(Int32(1))
      }
      expectError(.typeMismatch) { try abs({ 1 }) }
      XCTAssertEqual(try block.call(Int32(1), Int32(2)), Int32(3))
    }
    XCTAssertEqual(closure(7), 7)
  }

  func testWrongCountsAreRefused() throws {
    let abs = unsafe try CFunction(symbol: "abs", signature: "ii")
    expectError(.argumentCount) { let _: Int32 = try abs() }
    expectError(.argumentCount) { try abs() }
    expectError(.argumentCount) {
      let _: Int32 = try abs(Int32(1), Int32(2))
    }
    expectError(.argumentCount) { try abs(Int32(1), Int32(2)) }
    let add: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    let block = try Block(add)
    XCTAssertEqual(try block.call(Int32(1)), Int32(2))
    expectError(.argumentCount) { let _: Int32 = try block.call() }
    expectError(.argumentCount) { try block.call(Int32(1), Int32(2)) }
  }

  func testAnAssumedSignatureIsNotTakenForTheBlocksOwn() throws {
    let echo: @convention(block) (Int) -> Int = { $0 }
    let block = try Block(echo)
    let narrow = unsafe try block.assuming(signature: "c@?c")
    for _ in 0..<3 {
      XCTAssertEqual(try block.call(300), 300)
      expectError(.valueOutOfRange) { let _: Int = try narrow.call(300) }
      XCTAssertEqual(try narrow.call(Int8(-3)), Int8(-3))
    }
    // The same where the assumed one comes first.
    let other = try Block(echo)
    let first = unsafe try other.assuming(signature: "c@?c")
    XCTAssertEqual(try first.call(Int8(-3)), Int8(-3))
    XCTAssertEqual(try other.call(300), 300)
    XCTAssertEqual(try other.call(300), 300)
  }

  func testAnAssumedSignatureLivesAsLongAsACallWithValues() throws {
    let work: @convention(block) (Int) -> Int = { value in
      // The cache of interfaces has no room for the block's after these.
      for count in 0..<8_000 { _ = try? CallInterface.of("v@?{S\(count)=i}") }
      return value + 1
    }
    let block = unsafe try Block(work).assuming(signature: "q16@?0q8")
    for _ in 0..<3 {
      XCTAssertEqual(try block.call(values: [.integer(41)]), .integer(42))
    }
  }

  func testABlockFollowsTheCurrentEngine() throws {
    let engine = CallEngine.current
    defer { CallEngine.current = engine }
    let echo: @convention(block) (Int) -> Int = { $0 }
    let block = try Block(echo)
    for engine in CallEngine.allCases + CallEngine.allCases {
      CallEngine.current = engine
      XCTAssertEqual(try block.call(7), 7)
      XCTAssertEqual(try block.call(8), 8)
      XCTAssertEqual(try block.callInterface.engine, engine)
    }
  }

  func testABlockKeepsItsInterfaceAndNoOther() throws {
    let tracker = LifetimeTracker()
    do {
      let tracked = tracker.track()
      let work: @convention(block) (Int32) -> Int32 = { value in
        withExtendedLifetime(tracked) { value }
      }
      let block = try Block(work)
      XCTAssertTrue(try block.callInterface === block.callInterface)
      XCTAssertEqual(try block.call(Int32(1)), Int32(1))
      let assumed = unsafe try block.assuming(signature: "I@?I")
      XCTAssertFalse(try block.callInterface === assumed.callInterface)
    }
    tracker.expectNothingAlive()
  }

  func testABlockThatIsGivenUpInsideAShortCallLivesUntilItEnds() throws {
    final class Holder {
      var block: Block?
    }
    let tracker = LifetimeTracker()
    let holder = Holder()
    do {
      let tracked = tracker.track()
      let work: @convention(block) (Int32) -> Int32 = { value in
        if value == 1 { holder.block = nil }
        return withExtendedLifetime(tracked) { Int32(tracker.alive) }
      }
      holder.block = try Block(work).copied()
    }
    XCTAssertEqual(try holder.block?.call(Int32(0), returning: Int32.self), Int32(1))
    XCTAssertEqual(try holder.block?.call(Int32(1), returning: Int32.self), Int32(1))
    tracker.expectNothingAlive()
  }

  func testThreadsThatMeetABlockFirstAgree() throws {
    let sums = Recorder<Int32>()
    for _ in 0..<20 {
      let add: @convention(block) (Int32, Double) -> Int32 = { $0 + Int32($1) }
      let block = try Block(add)
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        if let sum = try? block.call(Int32(index), 1.0, returning: Int32.self) { sums.record(sum) }
      }
    }
    XCTAssertEqual(sums.entries.count, 160)
    XCTAssertEqual(sums.entries.reduce(0, +), 20 * 36)
  }
}
