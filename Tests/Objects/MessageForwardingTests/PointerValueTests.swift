import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Arguments that are pointers to something else than their types say, and classes.
final class PointerValueTests: XCTestCase {
  func testAPointerThatIsNoTextIsNotReadAsText() throws {
    let player = Player()
    let values = Recorder<String>()
    let hook = try player.target("play:").hook(.before) { call in
      values.record(String(describing: try call.argumentValue(2)))
      values.record(String(describing: call.arguments[2]))
    }
    defer { hook.remove() }
    // SAFETY: nothing reads behind the pointer.
    unsafe try player.send("play:", UnsafePointer<Int8>(bitPattern: 4096))
    XCTAssertEqual(values.entries.count, 2)
    for text in values.entries { XCTAssertTrue(text.contains("unreadable 0x1000"), text) }
    try player.send("play:", "text")
    XCTAssertTrue(values.entries[2].contains("text"), values.entries[2])
  }

  func testALongTextIsReadToItsEnd() throws {
    let (player, text) = (Player(), String(repeating: "x", count: 100_000))
    let values = Recorder<Bool>()
    let hook = try player.target("play:").hook(.before) { call in
      values.record(try call.argumentValue(2) == .cString(text))
    }
    defer { hook.remove() }
    try player.send("play:", text)
    XCTAssertEqual(values.entries, [true])
  }

  func testAClassIsTakenByItsOwnMetatype() throws {
    let player = Player()
    XCTAssertEqual(try player.send("kind:", Player.self, returning: String.self), "Player")
    XCTAssertEqual(try player.send("kind:", type(of: player), returning: String.self), "Player")
    XCTAssertEqual(
      try player.send("kind:", Player.self as AnyClass, returning: String.self), "Player")
    expectError(.typeMismatch) {
      _ = try player.send("kind:", Int.self, returning: String.self)
    }
  }
}

private final class Player: MessageReceiver {
  static var methods: MethodTable {
    MethodTable(Player.self) {
      unsafe Method("play:") { (_: Player, samples: UnsafePointer<Int8>?) in }
      Method("kind:") { (_: Player, type: AnyClass) -> String in String(describing: type) }
    }
  }
}
