import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Handlers, methods and targets whose ends use what they are of.
final class IntrusiveReceiverTests: XCTestCase {
  private final class Control: EventSender {}

  private final class Target: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Target.self) { Method("tap") { (_: Target) in } }
    }
    let content = Intruder(1)
  }

  private struct Subject: @unchecked Sendable {
    // SAFETY: one thread at a time uses it.
    let control = Control()
    let target = Target()
    let proxy = MultiTargetProxy()
    let delegate: DynamicDelegate

    init() throws {
      delegate = DynamicDelegate(
        try MessageProtocol("Taps", [.optional("tap", signature: "v@:")]))
    }
  }

  private static let uses: [(name: String, body: @Sendable (Subject) throws -> Void)] = [
    ("remove handlers", { _ = $0.control.eventHandlers.removeAll() }),
    ("remove a method", { _ = $0.delegate.removeMethod("tap") }),
    ("remove methods", { $0.delegate.removeAllMethods() }),
    ("unhook the object", { for hook in $0.target.target("tap").hooks { hook.remove() } }),
    ("unhook the class", { _ in for hook in Target.target("tap").hooks { hook.remove() } }),
    ("remove targets", { $0.proxy.removeAll() }),
    (
      "add a handler",
      { subject in
        let captured = Intruder(2)
        try subject.control.eventHandlers.add(for: .all) { _, _ in
          withExtendedLifetime(captured) {}
        }
      }
    ),
    (
      "set a handler",
      { subject in
        let captured = Intruder(3)
        try subject.control.eventHandlers.set(for: .all) { _, _ in
          withExtendedLifetime(captured) {}
        }
      }
    ),
    ("send events", { _ = $0.control.eventHandlers.send(.all) }),
    (
      "implement",
      { subject in
        let captured = Intruder(4)
        let body: @convention(block) () -> Void = { withExtendedLifetime(captured) {} }
        try subject.delegate.implement("tap", with: body)
      }
    ),
    ("set the real delegate", { try $0.delegate.setRealDelegate(Target()) }),
    ("send to the delegate", { try $0.delegate.send("tap") }),
    (
      "hook an object",
      { subject in
        let captured = Intruder(5)
        try subject.target.target("tap").hook(.before) { _ in withExtendedLifetime(captured) {} }
      }
    ),
    (
      "hook a class",
      { subject in
        let captured = Intruder(6)
        try Target.target("tap").hook(.before, when: .once) { _ in withExtendedLifetime(captured) {}
        }
      }
    ),
    ("send", { try $0.target.send("tap") }),
    ("add a target", { _ = $0.proxy.add(strong: Target()) }),
    ("send to targets", { try $0.proxy.send("tap") }),
  ]

  func testWhatIsFreedMayUseWhatItWasGivenTo() {
    let occasions = expectIntrudersMay(do: Self.uses) { try Subject() }
    XCTAssertEqual(occasions, [.end])
  }
}
