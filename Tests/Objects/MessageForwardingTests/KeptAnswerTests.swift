import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// The answer of a body whose hook fails afterwards: that of the call itself, and of no other one.
final class KeptAnswerTests: XCTestCase {
  private let degrees = TypedSelector1<Station, Int, Double>("degrees:")
  private let log = CallLog()

  func testAMessageToAnotherReceiverLeavesNoAnswer() throws {
    let (station, other, degrees) = (Station(log), Station(log), degrees)
    let hook = try Station.hook(degrees) { original, receiver, number in
      guard receiver === station else { return try original(number) }
      _ = try other.send(degrees, 5)
      throw CancellationError()
    }
    defer { hook.remove() }
    XCTAssertEqual(station.degrees(1), 21)
  }

  func testAMessageOfAnotherMethodLeavesNoAnswer() throws {
    let pair = Pair()
    let hook = try Pair.hook(TypedSelector1<Pair, Int, Int>("first:")) { _, pair, number in
      _ = try pair.send("second:", number) as Int
      throw CancellationError()
    }
    defer { hook.remove() }
    XCTAssertEqual(pair.first(1), 11)
  }

  func testAnAnswerOfAnotherTypeIsNotKept() throws {
    let pair = Pair()
    let hook = try Pair.target("size").hook(.after) { call in
      try call.setError(CancellationError())
    }
    defer { hook.remove() }
    XCTAssertEqual(pair.size(), 2.5)
  }

  func testACallWithinTheHookOfAnotherEndsBeforeIt() throws {
    let (station, other) = (Station(log), Station(log))
    let hook = try Station.hook(degrees) { original, receiver, number in
      guard receiver === station else { return try original(number) }
      _ = other.degrees(5)
      _ = try original(number)
      throw CancellationError()
    }
    defer { hook.remove() }
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertEqual(log.taken, ["Station", "Station"])
  }

  func testAnErrorThatACallCannotThrowIsWrittenWithTheMethod() throws {
    let station = Station(log)
    let hook = try Station.hook(degrees) { _, _, _ in throw CancellationError() }
    defer { hook.remove() }
    let text = try standardError { XCTAssertEqual(station.degrees(1), 21) }
    XCTAssertEqual(text.split(separator: "\n").count, 1, text)
    XCTAssertTrue(text.contains("a hook of a Swift call that cannot throw it"), text)
    XCTAssertTrue(text.contains("degrees:"), text)
  }

  func testAnAsyncMessageToAnotherReceiverLeavesNoAnswer() async throws {
    let (station, other) = (Station(log), Station(log))
    let hook = try Station.hook(AsyncTypedSelector1<Station, Int, Int>("count:")) {
      original, receiver, number in
      guard receiver === station else { return try await original(number) }
      _ = try await other.send(async: "count:", 5, returning: Int.self)
      throw CancellationError()
    }
    defer { hook.remove() }
    let answer = await station.count(1)
    XCTAssertEqual(answer, 1)
  }

  func testAnAsyncMessageOfAnotherMethodLeavesNoAnswer() async throws {
    let pair = Pair()
    let hook = try Pair.hook(AsyncTypedSelector1<Pair, Int, Int>("soon:")) {
      _, pair, number -> Int in
      _ = try await pair.send(async: "later:", number, returning: Int.self)
      throw CancellationError()
    }
    defer { hook.remove() }
    let answer = await pair.soon(1)
    XCTAssertEqual(answer, 11)
  }
}

/// A class with methods of one type, and one whose call and message have different types.
private final class Pair: MessageReceiver, Sendable {
  private static let firstCalls = CallSlot()
  private static let secondCalls = CallSlot()
  private static let soonCalls = CallSlot()
  private static let laterCalls = CallSlot()
  private static let sizeCalls = CallSlot()

  func first(_ number: Int) -> Int {
    guard Pair.firstCalls.isHooked else { return number + 10 }
    return Pair.firstCalls.call(self, number) { number + 10 }
  }

  func soon(_ number: Int) async -> Int {
    guard Pair.soonCalls.isHooked else { return number + 10 }
    return await Pair.soonCalls.call(self, number) { () async in number + 10 }
  }

  func size() -> Double {
    guard Pair.sizeCalls.isHooked else { return 2.5 }
    return Pair.sizeCalls.call(self, ()) { 2.5 }
  }

  static var methods: MethodTable {
    MethodTable(Pair.self) {
      Method("first:") { (self: Pair, number: Int) in
        firstCalls.keeping(self) { number + 10 }
      }.called { firstCalls.set($0) }
      Method("second:") { (self: Pair, number: Int) in
        secondCalls.keeping(self) { number + 20 }
      }.called { secondCalls.set($0) }
      Method("soon:") { (self: Pair, number: Int) async in
        await soonCalls.keeping(self) { () async in number + 10 }
      }.called { soonCalls.set($0) }
      Method("later:") { (self: Pair, number: Int) async in
        await laterCalls.keeping(self) { () async in number + 20 }
      }.called { laterCalls.set($0) }
      Method("size") { (self: Pair) in
        sizeCalls.keeping(self) { 3 }
      }.called { sizeCalls.set($0) }
    }
  }
}
