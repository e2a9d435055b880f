import DelayedBlocks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

final class WeakProxyTests: XCTestCase {
  private struct Size: Equatable {
    var width: Double
    var height: Double
    var depth: Int32
  }

  private final class Shape: MessageReceiver {
    func size() -> Size { Size(width: 1, height: 2, depth: 3) }
    func area() -> Double { 2 }
    func name() -> String { "shape" }
    func parts() -> [Int] { [1] }
    func colours() -> [String: Int] { ["red": 1] }
    func parent() -> Shape? { self }
    func itself() -> Shape { self }
    func close() {}

    static var methods: MethodTable {
      MethodTable(Shape.self) {
        Method("size", Shape.size)
        Method("area", Shape.area)
        Method("name", Shape.name)
        Method("parts", Shape.parts)
        Method("colours", Shape.colours)
        Method("parent", Shape.parent)
        Method("itself", Shape.itself)
        Method("close", Shape.close)
      }
    }
  }

  /// A proxy whose target is dead.
  private func orphan(_ answer: WeakProxy.DeadAnswer = .zero) -> WeakProxy {
    WeakProxy(Shape(), whenDead: answer)
  }

  func testMessagesReachTheTargetWhileItLives() throws {
    let shape = Shape()
    let proxy = WeakProxy(shape, whenDead: .refusal)
    XCTAssertEqual(try proxy.send("area"), 2.0)
    XCTAssertEqual(try proxy.send("size"), Size(width: 1, height: 2, depth: 3))
    XCTAssertEqual(try proxy.send("area", values: []), .double(2))
    XCTAssertTrue(try proxy.send("itself", returning: AnyObject.self) === shape)
    XCTAssertTrue(proxy.responds(to: "area"))
    XCTAssertFalse(proxy.responds(to: "weight"))
    expect(.unrecognizedSelector, try proxy.send("weight") as Double)
    XCTAssertTrue(proxy.target === shape)
  }

  func testADeadTargetAnswersZeroOfEveryType() throws {
    let proxy = orphan()
    XCTAssertNil(proxy.target)
    XCTAssertFalse(proxy.responds(to: "area"))
    try proxy.send("close")
    XCTAssertEqual(try proxy.send("area"), 0.0)
    XCTAssertEqual(try proxy.send("size"), Size(width: 0, height: 0, depth: 0))
    XCTAssertEqual(try proxy.send("name"), "")
    XCTAssertEqual(try proxy.send("parts"), [Int]())
    XCTAssertEqual(try proxy.send("parts"), Set<Int>())
    XCTAssertEqual(try proxy.send("colours"), [String: Int]())
    XCTAssertNil(try proxy.send("parent", returning: Shape?.self))
    XCTAssertEqual(try proxy.send("wide"), Int64(0))
    XCTAssertEqual(try proxy.send("is"), false)
    XCTAssertNil(unsafe try proxy.send("address", returning: UnsafeRawPointer?.self))
  }

  func testZeroOfTheRightSizeAnswersInvocationsToo() throws {
    let proxy = orphan()
    XCTAssertEqual(try proxy.send("area", values: []), .double(0))
    XCTAssertEqual(
      try proxy.send("size", values: []), .structure([.double(0), .double(0), .integer(0)]))
    XCTAssertEqual(try proxy.send("parent", values: []), .object(nil))
    XCTAssertEqual(try proxy.send("close", values: []), .void)
  }

  func testAProxyOfADeadDelegateAnswersForNoOther() throws {
    let numbers = try MessageProtocol("Numbers", [.optional("foo:", signature: "i@:i")])
    let ratios = try MessageProtocol("Ratios", [.optional("foo:", signature: "d@:d")])
    let proxies = (0..<10).map { _ in WeakProxy(DynamicDelegate(numbers)) }
    let others = try (0..<20).map { _ in
      let other = DynamicDelegate(ratios)
      try other.implement("foo:") { (x: Double) -> Double in x }
      return other
    }
    for proxy in proxies {
      XCTAssertNil(proxy.target)
      XCTAssertNil(proxy.methodSignature(for: "foo:"))
      XCTAssertEqual(try proxy.send("foo:", Int32(1)), Int32(0))
    }
    withExtendedLifetime(others) {}
  }

  func testAProxyOfADyingObjectHasNoTarget() throws {
    final class Dying: MessageReceiver {
      let made: (WeakProxy) -> Void
      init(_ made: @escaping (WeakProxy) -> Void) { self.made = made }
      deinit { made(WeakProxy(self)) }
      static var methods: MethodTable { MethodTable(Dying.self) }
    }
    var proxy: WeakProxy?
    do { _ = Dying { proxy = $0 } }
    let made = try XCTUnwrap(proxy)
    XCTAssertNil(made.target)
    XCTAssertEqual(try made.send("number", returning: Int32.self), 0)
  }

  func testWhatHasNoZeroIsRefused() {
    struct Held { var object: Shape }
    let proxy = orphan()
    let error = expect(.deadReceiver, try proxy.send("itself", returning: Shape.self))
    XCTAssertTrue(error?.message.contains("Shape?") ?? false)
    expect(.deadReceiver, try proxy.send("itself", returning: AnyObject.self))
    expect(.deadReceiver, try proxy.send("itself", returning: Held.self))
    expect(.deadReceiver, try proxy.send("itself", returning: Selector.self))
    unsafe expect(
      .deadReceiver, try proxy.send("itself", returning: UnsafeRawPointer.self))
  }

  func testADeadTargetMayBeAnError() {
    let proxy = orphan(.refusal)
    XCTAssertEqual(expect(.deadReceiver, try proxy.send("close"))?.selector, "close")
    expect(.deadReceiver, try proxy.send("area") as Double)
    expect(.deadReceiver, try proxy.send("area", values: []))
  }

  func testAClosureMayAnswerForADeadTarget() throws {
    let proxy = orphan(
      .closure { selector in
        switch selector {
        case "area": 7.5
        case "name": throw PlainError()
        default: nil
        }
      })
    XCTAssertEqual(try proxy.send("area"), 7.5)
    XCTAssertEqual(try proxy.send("area", values: []), .double(7.5))
    XCTAssertTrue(expect(.thrown, try proxy.send("name") as String)?.underlyingError is PlainError)
    XCTAssertNil(try proxy.send("parent", returning: Shape?.self))
    expect(.typeMismatch, try proxy.send("area") as Int32)
    try proxy.send("close")
  }

  func testIdentityAndHashStayWhenTheTargetDies() {
    var shape: Shape? = Shape()
    let other = Shape()
    let proxies = [shape, shape, other].compactMap { $0 }.map { WeakProxy($0) }
    let before = proxies.map(\.hashValue)
    let known = Set(proxies)
    XCTAssertEqual(known.count, 2)
    shape = nil
    XCTAssertEqual(proxies.map(\.hashValue), before)
    XCTAssertEqual(proxies[0], proxies[1])
    XCTAssertTrue(known.contains(proxies[0]))
    XCTAssertNotEqual(proxies[0], orphan())
  }

  func testATimerDoesNotKeepTheTargetOfAProxy() throws {
    final class Ticker: MessageReceiver {
      let ticks: Recorder<Int>
      var timer: RepeatingBlock?
      init(_ ticks: Recorder<Int>) { self.ticks = ticks }
      deinit { timer?.cancel() }
      func tick() { ticks.record(1) }
      static var methods: MethodTable { MethodTable(Ticker.self) { Method("tick", Ticker.tick) } }
    }
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock, on: .inline)
    let ticks = Recorder<Int>()
    var ticker: Ticker? = Ticker(ticks)
    weak let weakTicker = ticker
    // SAFETY: everything runs on this thread.
    nonisolated(unsafe) let proxy = WeakProxy(try XCTUnwrap(ticker))
    let block = try timer.repeat(every: .seconds(1)) { _ in _ = try? unsafe proxy.send("tick") }
    ticker?.timer = block
    clock.advance(by: .seconds(3))
    XCTAssertEqual(ticks.entries.count, 3)
    ticker = nil
    XCTAssertNil(weakTicker)
    clock.advance(by: .seconds(3))
    XCTAssertEqual(ticks.entries.count, 3)
  }
}
