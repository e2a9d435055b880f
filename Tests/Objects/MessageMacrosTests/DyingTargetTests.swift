#if Macros
import MessageMacros
import Synchronization
import TestSupport
import XCTest

private final class Log: PageDelegate {
  let delegates: PageDelegates
  var onLoad: () -> Void = {}
  let onDeinit: () -> Void
  init(_ delegates: PageDelegates, onDeinit: @escaping () -> Void) {
    self.delegates = delegates
    self.onDeinit = onDeinit
  }
  func page(_ page: Page, didLoad count: Int) { onLoad() }
  deinit {
    delegates.remove(self)
    onDeinit()
  }
}

/// Changes its forwarder when it is destroyed.
private final class Target {
  let onDeinit: () -> Void
  init(onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

/// The requirements of a protocol that inherits from another, as a macro would make them, but for the weak
/// reference: it is given the last strong one by who reads it.
private enum Inheriting: ForwardedRequirements {
  struct WeakTarget: MessageMacros.WeakTarget {
    private static let isGiven = Atomic(false)
    private final class Last {
      var target: Target?
    }
    private let last = Last()

    static var isLastGiven: Bool {
      get { isGiven.load(ordering: .relaxed) }
      set { isGiven.store(newValue, ordering: .relaxed) }
    }
    var target: Target? {
      defer { if Self.isLastGiven { last.target = nil } }
      return last.target
    }
    init(_ target: Target?) { last.target = target }
  }
  struct Closures: RequirementNames {}
  struct Policies: RequirementNames {}
  struct Parts: ForwarderParts {
    let asInherited = ForwardingTargets<Inherited>()
    func replace(by list: TargetList<Inheriting>) {
      asInherited.replace(
        by: list.part(target: { $0 }, closures: { _ in .init() }, policies: { _ in .init() }))
    }
  }
  static let _messageProtocol = describedProtocol("Inheriting", inheriting: [], [])
}

private enum Inherited: ForwardedRequirements {
  struct WeakTarget: MessageMacros.WeakTarget {
    weak let target: Target?
    init(_ target: Target?) { self.target = target }
  }
  struct Closures: RequirementNames {}
  struct Policies: RequirementNames {}
  typealias Parts = NoParts<Inherited>
  static let _messageProtocol = describedProtocol("Inherited", inheriting: [], [])
}

/// Requirements whose weak references are counted.
private enum Tracked: ForwardedRequirements {
  static let tracker = LifetimeTracker()
  struct WeakTarget: MessageMacros.WeakTarget {
    private let tracked = tracker.track()
    weak let target: Target?
    init(_ target: Target?) { self.target = target }
  }
  struct Closures: RequirementNames {}
  struct Policies: RequirementNames {}
  typealias Parts = NoParts<Tracked>
  static let _messageProtocol = describedProtocol("Tracked", inheriting: [], [])
}

private final class TrackedForwarder: Forwarder {
  let targets = ForwardingTargets<Tracked>()
}

private final class Forwarding: Forwarder {
  let targets = ForwardingTargets<Inheriting>()
}

/// Targets that are destroyed use the forwarder: no lock is held then.
final class DyingTargetTests: XCTestCase {
  func testATargetThatIsReleasedDuringItsCallMayRemoveItself() {
    let delegates = PageDelegates()
    var destroyed = 0
    var log: Log? = Log(delegates) { destroyed += 1 }
    log?.onLoad = { log = nil }
    log.map { _ = delegates.add(weak: $0) }
    delegates.page(Page(), didLoad: 1)
    XCTAssertEqual(destroyed, 1)
    delegates.page(Page(), didLoad: 1)
  }

  func testDeadTargetsLeaveTheListWhenItIsChanged() {
    let forwarder = TrackedForwarder()
    for _ in 0..<100 { forwarder.add(weak: Target {}) }
    XCTAssertLessThanOrEqual(Tracked.tracker.alive, 2)
  }

  func testATargetThatIsHeldMayRemoveItselfWhenItIsRemoved() {
    let delegates = PageDelegates()
    var destroyed = 0
    for _ in 0..<2 { delegates.add(strong: Log(delegates) { destroyed += 1 }) }
    delegates.removeAll()
    XCTAssertEqual(destroyed, 2)
  }

  func testATargetThatIsReleasedWhileTheListIsChangedMayChangeItToo() {
    let forwarder = Forwarding()
    var destroyed = 0
    forwarder.add(
      weak: Target {
        destroyed += 1
        forwarder.removeAll()
      })
    XCTAssertEqual(destroyed, 0)
    Inheriting.WeakTarget.isLastGiven = true
    defer { Inheriting.WeakTarget.isLastGiven = false }
    forwarder.add { _ in }
    XCTAssertEqual(destroyed, 1)
  }
}
#endif
