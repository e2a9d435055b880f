#if Macros
import Invocations
import MessageForwarding
import MessageMacros
import XCTest

/// Members of classes in each form, as messages.
final class MessageFormTests: XCTestCase {
  func testAnOverrideOfAClassMethodAnswersTheMessageOfTheSubclass() throws {
    XCTAssertEqual(try Shape.classObject.send(Shape.Messages().sides), 0)
    XCTAssertEqual(try Square.classObject.send(Shape.Messages().sides), 4)
    XCTAssertEqual(try Square.classObject.send("sides", returning: Int.self), 4)
  }

  func testAClassMethodIsReplaced() throws {
    let last = Shape.replaceMethod(Shape.Messages().corners) { _ in 5 }
    XCTAssertEqual(try Shape.classObject.send(Shape.Messages().corners), 5)
    last.map { _ = Shape.replaceMethod($0) }
    XCTAssertEqual(try Shape.classObject.send(Shape.Messages().corners), 1)
  }

  @MainActor
  func testAMethodInPlaceOfAnIsolatedOneIsIsolated() async throws {
    let last = Screen2.replaceMethod(\.draw) { _, number in number + 1 }
    defer { last.map { _ = Screen2.replaceMethod($0) } }
    let screen = Screen2()
    XCTAssertEqual(try screen.send(\.draw, 3), 4)
    let elsewhere = await Task.detached { Result { try screen.send(\.draw, 3) } }.value
    XCTAssertThrowsError(try elsewhere.get()) {
      XCTAssertEqual(($0 as? MessageError)?.code, .wrongExecutor)
    }
  }

  func testOverloadsElsewhereAreToldApart() throws {
    XCTAssertEqual(try Square().send(\.area, 3), 3)
    XCTAssertEqual(try Square().send(Square.Messages().areaOfText, "four"), 4)
  }

  func testAMessageOfASuperclassByHandIsInherited() throws {
    XCTAssertEqual(try Grown().send(\.grown), 2)
    XCTAssertEqual(try Grown().send("made", returning: Int.self), 1)
    XCTAssertEqual(try Made().send("made", returning: Int.self), 1)
  }

  func testPropertiesOfOneDeclarationAreMessages() throws {
    let shape = Shape()
    try shape.send(\.setWidth, 3)
    XCTAssertEqual(try shape.send(\.width), 3)
    XCTAssertEqual(try shape.send(\.height), 0)
  }

  func testAMethodThatThrowsNeverIsAMessage() throws {
    XCTAssertEqual(try Shape().send(\.surely), 4)
  }

  func testWhatIsUnavailableIsNoMessage() {
    XCTAssertFalse(Shape().responds(to: "gone"))
  }

  @MainActor
  func testPropertiesThatAreNotIsolatedAreMessages() throws {
    XCTAssertEqual(try Screen2().send(\.name), "screen")
  }
}

@Messages
private class Shape {
  var width, height: Int
  init() { (width, height) = (0, 0) }
  class func sides() -> Int { 0 }
  static func corners() -> Int { 1 }
  func area(_ size: Int) -> Int { size }
  func surely() throws(Never) -> Int { 4 }
  @available(*, unavailable) func gone() {}
}

extension Shape {
  fileprivate func area(_ size: Double) -> Double { size }
}

@Messages
private final class Square: Shape {
  override class func sides() -> Int { 4 }
  @Named("areaOfText") @SentAs("areaOfText:") func area(_ text: String) -> Int { text.count }
}

private class Made: MessageReceiver {
  func made() -> Int { 1 }
  class var methods: MethodTable { MethodTable(Made.self) { Method("made", Made.made) } }
}

@Messages
private final class Grown: Made {
  func grown() -> Int { 2 }
}

@MainActor @Messages
private final class Screen2 {
  nonisolated let name: String = "screen"
  nonisolated static func count() -> Int { 1 }
  func draw(_ number: Int) -> Int { number }
}
#endif
