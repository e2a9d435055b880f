import MessageForwarding
import ObjectLifetimes
import TestSupport
import XCTest

extension EventMask {
  fileprivate static let down = EventMask(bit: 0)
  fileprivate static let moved = EventMask(bit: 1)
  fileprivate static let up = EventMask(bit: 63)
}

private class Control: EventSender, @unchecked Sendable {
  // SAFETY: it is immutable.
  let name: String

  init(_ name: String = "") { self.name = name }
}

final class EventHandlerTests: XCTestCase {
  private let calls = Recorder<String>()

  /// A handler that notes its name and the events.
  private func note(_ name: String) -> @Sendable (Control, EventMask) -> Void {
    { [calls] sender, events in calls.record("\(sender.name)\(name) \(events)") }
  }

  func testHandlersAreCalledInTheirOrderWithTheSenderAndTheirEvents() throws {
    let control = Control("c")
    try control.eventHandlers.add(for: [.down, .up], note("1"))
    try control.eventHandlers.add(for: .moved, note("2"))
    try control.eventHandlers.add(for: .all, note("3"))
    XCTAssertEqual(control.eventHandlers.send(.down), 2)
    XCTAssertEqual(control.eventHandlers.send([.moved, .up]), 3)
    XCTAssertEqual(control.eventHandlers.send([]), 0)
    XCTAssertEqual(Control().eventHandlers.send(.all), 0)
    XCTAssertEqual(
      calls.entries,
      [
        "c1 events [0]", "c3 events [0]", "c1 events [63]", "c2 events [1]", "c3 events [1, 63]",
      ])
  }

  func testRemovalByMaskTakesTheBitsFromAllHandlers() throws {
    let handlers = Control().eventHandlers
    let first = try handlers.add(for: [.down, .up], note("1"))
    let second = try handlers.add(for: .down, note("2"))
    XCTAssertEqual(handlers.remove(for: .down), 1)
    XCTAssertEqual([first.events, second.events], [.up, []])
    XCTAssertEqual([first.isInstalled, second.isInstalled], [true, false])
    XCTAssertEqual(
      ["\(first)", "\(second)"], ["<handler of events [63]>", "<handler, removed>"])
    XCTAssertEqual(handlers.send([.down, .up]), 1)
    XCTAssertEqual(handlers.remove(for: .down), 0)
    XCTAssertEqual(handlers.removeAll(), 1)
    XCTAssertEqual(handlers.masks, [])
  }

  func testPresenceIsAskedForByAnyEventAndByTheExactMask() throws {
    let handlers = Control().eventHandlers
    XCTAssertFalse(handlers.contains(anyOf: .all))
    try handlers.add(for: [.down, .up], note("1"))
    XCTAssertTrue(handlers.contains(anyOf: .down))
    XCTAssertTrue(handlers.contains(anyOf: [.moved, .up]))
    XCTAssertFalse(handlers.contains(anyOf: .moved))
    XCTAssertFalse(handlers.contains(anyOf: []))
    XCTAssertTrue(handlers.contains(exactly: [.down, .up]))
    XCTAssertFalse(handlers.contains(exactly: .down))
    handlers.remove(for: .up)
    XCTAssertTrue(handlers.contains(exactly: .down))
  }

  func testSettingAHandlerReplacesThoseOfItsEventsOnly() throws {
    let handlers = Control().eventHandlers
    try handlers.add(for: [.down, .moved], note("1"))
    try handlers.add(for: .down, note("2"))
    try handlers.set(for: .down, note("3"))
    XCTAssertEqual(handlers.masks, [.moved, .down])
    handlers.send([.down, .moved])
    XCTAssertEqual(calls.entries, ["1 events [1]", "3 events [0]"])
  }

  func testATokenRemovesItsHandlerOnce() throws {
    let handlers = Control().eventHandlers
    let first = try handlers.add(for: .down, note("1"))
    let second = try handlers.add(for: .down, note("2"))
    XCTAssertTrue(first.remove())
    XCTAssertFalse(first.remove())
    XCTAssertEqual(handlers.send(.down), 1)
    handlers.removeAll()
    XCTAssertFalse(second.remove())
    XCTAssertEqual(calls.entries, ["2 events [0]"])
  }

  func testAHandlerForNothingIsNone() throws {
    let handlers = Control().eventHandlers
    XCTAssertFalse(try handlers.add(for: [], note("1")).isInstalled)
    XCTAssertFalse(try handlers.add(for: EventMask(bit: 64), note("2")).isInstalled)
    XCTAssertEqual(handlers.masks, [])
  }

  func testHandlersThatComeAndGoWhileEventsAreSent() throws {
    let handlers = Control().eventHandlers
    let tokens = Recorder<EventHandler>()
    try handlers.add(for: .down) { [calls] sender, _ in
      guard calls.entries.isEmpty else { return }
      calls.record("first")
      tokens.entries.first?.remove()
      sender.eventHandlers.remove(for: .moved)
      _ = try? sender.eventHandlers.add(for: .down) { _, _ in calls.record("late") }
    }
    tokens.record(try handlers.add(for: .down, note("removed")))
    try handlers.add(for: [.moved, .up], note("part"))
    XCTAssertEqual(handlers.send(.all), 2)
    XCTAssertEqual(calls.entries, ["first", "part events [63]"])
    handlers.send(.down)
    XCTAssertEqual(calls.entries.last, "late")
  }

  func testEventsMayBeSentWithinAHandler() throws {
    let control = Control()
    try control.eventHandlers.add(for: .down) { [calls] sender, _ in
      calls.record("down")
      sender.eventHandlers.send(.up)
    }
    try control.eventHandlers.add(for: [.down, .up], note("2"))
    control.eventHandlers.send(.down)
    XCTAssertEqual(calls.entries, ["down", "2 events [63]", "2 events [0]"])
  }

  func testHandlersLiveWithTheirObjectAndDoNotKeepIt() throws {
    let tracker = LifetimeTracker()
    var control: Control? = Control()
    weak let observed = control
    let token = try control.map { control in
      let tracked = tracker.track()
      return try EventHandlers(of: control).add(for: .all) { _, _ in
        withExtendedLifetime(tracked) {}
      }
    }
    XCTAssertEqual(tracker.alive, 1)
    control = nil
    XCTAssertNil(observed)
    tracker.expectNothingAlive()
    XCTAssertEqual(token?.isInstalled, false)
    XCTAssertEqual(token?.remove(), false)
  }

  func testARemovedHandlerIsFreedAtOnce() throws {
    let tracker = LifetimeTracker()
    let handlers = Control().eventHandlers
    func tracked() -> @Sendable (Control, EventMask) -> Void {
      let tracked = tracker.track()
      return { _, _ in withExtendedLifetime(tracked) {} }
    }
    let token = try handlers.add(for: .down, tracked())
    try handlers.add(for: .down, tracked())
    try handlers.add(for: .up, tracked())
    token.remove()
    XCTAssertEqual(tracker.alive, 2)
    try handlers.set(for: .down, note("1"))
    XCTAssertEqual(tracker.alive, 1)
    handlers.removeAll()
    tracker.expectNothingAlive()
  }

  func testAClosureThatIsFreedMayChangeTheHandlers() throws {
    let control = Control()
    func add(for events: EventMask) throws {
      let finaliser = Finaliser { [calls, weak control] in
        calls.record("freed, \(control?.eventHandlers.removeAll() ?? -1) more")
      }
      try control.eventHandlers.add(for: events) { _, _ in withExtendedLifetime(finaliser) {} }
    }
    try add(for: .down)
    try add(for: .up)
    control.eventHandlers.remove(for: .down)
    XCTAssertEqual(calls.entries, ["freed, 0 more", "freed, 1 more"])
  }

  func testADyingObjectGetsNoHandler() {
    final class Dying: EventSender {
      let result: Recorder<String>
      init(_ result: Recorder<String>) { self.result = result }
      deinit {
        do throws(MessageError) {
          try eventHandlers.add(for: .all) { _, _ in }
        } catch {
          result.record(error.code.rawValue)
        }
      }
    }
    _ = Dying(calls)
    XCTAssertEqual(calls.entries, ["deadReceiver"])
  }

  func testHandlersOfASuperclassGetItsInstances() throws {
    final class Button: Control, @unchecked Sendable {}
    let button = Button("b")
    try EventHandlers<Control>(of: button).add(for: .down, note("1"))
    XCTAssertEqual(button.eventHandlers.send(.down), 1)
    XCTAssertEqual(calls.entries, ["b1 events [0]"])
  }

  func testHandlersAreAddedSentToAndRemovedOnManyThreads() throws {
    final class Shared: EventSender, Sendable {}
    let handlers = Shared().eventHandlers
    let always = Recorder<EventMask>()
    try handlers.add(for: .up) { _, events in always.record(events) }
    let threads = ThreadGroup()
    for _ in 0..<4 {
      threads.start {
        for _ in 0..<200 {
          let token = try? handlers.add(for: [.down, .moved]) { _, _ in }
          handlers.send([.down, .up])
          handlers.remove(for: .moved)
          token?.remove()
        }
      }
    }
    threads.wait()
    XCTAssertEqual(always.entries, Array(repeating: .up, count: 800))
    XCTAssertEqual(handlers.masks, [.up])
  }
}
