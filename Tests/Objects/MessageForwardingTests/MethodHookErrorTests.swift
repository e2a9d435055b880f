import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// What the hooks of a method and its sender get where the method passes on another message's error.
final class MethodHookErrorTests: XCTestCase {
  struct Refused: Error {}

  final class Relay: MessageReceiver, Sendable {
    class var methods: MethodTable {
      MethodTable(Relay.self) {
        Method("fail:") { (_: Relay, number: Int) throws -> Int in throw Refused() }
        Method("relay:") { (relay: Relay, number: Int) throws -> Int in
          try relay.send("fail:", number, returning: Int.self)
        }
      }
    }
  }

  func testAnErrorOfAnotherMessageIsTheSameWhateverTheKindsOfHooks() throws {
    let relay = TypedSelector1<Relay, Int, Int>("relay:")
    for kinds in ["", "t", "f", "c", "ft", "tf", "ct", "tc", "ftft"] {
      let seen = Recorder<String>()
      let hooks = try kinds.map { kind in
        guard kind != "f" else {
          return try Relay.target("relay:").hook { call in try call.proceed() }
        }
        return try Relay.hook(relay, when: kind == "c" ? .times(9) : .always) {
          original, _, number in
          do { return try original(number) } catch {
            seen.record("\(error)")
            throw error
          }
        }
      }
      defer { for hook in hooks { hook.remove() } }
      XCTAssertThrowsError(try Relay().send("relay:", 1, returning: Int.self)) {
        let error = $0 as? MessageError
        XCTAssertEqual(error?.selector, "fail:", kinds)
        XCTAssertTrue(error?.underlyingError is Refused, kinds)
        XCTAssertEqual(Set(seen.take()).subtracting(["\($0)"]), [], kinds)
      }
    }
  }
}
