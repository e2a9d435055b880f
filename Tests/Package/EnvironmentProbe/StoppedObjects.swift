import BlockHooks
import DelayedBlocks
import Invocations
import KeyValueObserving
import MessageForwarding
import ObjectLifetimes

class Sheet: MessageReceiver {
  class var methods: MethodTable {
    MethodTable(Sheet.self) {
      Method("size") { (_: Sheet) in 3 }
      Method("shared") { (_: ClassObject) in 4 }.ofClass()
    }
  }
}

/// An object with everything that the commands show of one.
final class StoppedPage: Sheet, KeyValueObservable, @unchecked Sendable {
  @Observed var title = "a"
  @Observed var count = 1

  override class var methods: MethodTable {
    MethodTable(StoppedPage.self) { Method("turn:") { (_: StoppedPage, _: Int) in } }
  }
}

/// Objects of which the commands say what this program says.
struct StoppedObjects {
  let page = StoppedPage()
  let proxy = MultiTargetProxy()
  private let log = StoppedPage()
  private let timer = DelayTimer(clock: ManualClock())

  init() throws {
    try expectAssociated()
    expectObservers()
    try expectMethods()
    expectTargets()
    expectDelayed()
  }

  private func address(_ object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  }

  private func expectAssociated() throws {
    let (note, other) = (AssociationKey<StoppedPage>("note"), AssociationKey<StoppedPage>(weak: ""))
    let (size, text) = (AssociationKey<Int>("size"), AssociationKey<String>("text"))
    try note.set(log, on: page)
    try other.set(log, on: page)
    try size.set(77, on: page)
    try text.set("a text", on: page)
    try onDeinit(of: page, .before) {}
    expect("passociated page", "object \(address(page)), StoppedPage")
    for (key, value) in [
      ("\(note)", "\(address(log)), StoppedPage"), ("\(size)", "0x4d, the bytes of a value"),
      ("\(text)", "\"a text\""), ("\(other)", ", weak, as StoppedPage"),
    ] {
      let number = key.drop { $0 != "#" }.dropLast()
      expect("passociated page", "  \(number)  \(value.hasPrefix(",") ? "in 0x" : value)")
      expect("passociated page", value)
    }
    expect("passociated page", "  hook before deinit 0x")
    expect("passociated 16", "there is no object of Swift at 0x10")
  }

  private func expectObservers() {
    page.observe(\.title, name: "first") { _, _ in }
    let second = page.observe(\.title) { _, _ in }
    second.suspend()
    page.observe(\.count, name: "removed") { _, _ in }.remove()
    expect("pobservers page", "\"first\", \(address(page.observations[0]))")
    expect("pobservers page", "without name, suspended, \(address(second))")
    expect("pobservers page", "of $s16EnvironmentProbe11StoppedPageC5titleSSvg")
    expect("pobservers page", "15expectObservers")
    print("refuse pobservers page|removed")
    expect("pobservers proxy", "no observers")
  }

  private func expectMethods() throws {
    try StoppedPage.target("turn:").hook(.before) { _ in }
    try StoppedPage.target("turn:").hook(.after) { _ in }
    try StoppedPage.target("size").hook(.before) { _ in }
    for text in [
      "class StoppedPage", "class Sheet", "  turn:  ", ", 2 hooks", "  size  inherited, 1 hook",
    ] {
      expect("pmethods page", text)
    }
    expect("pmethods page", "  +shared  ")
    expect("pmethods proxy", "is of a class to which no message was sent")
  }

  private func expectTargets() {
    proxy.add(weak: page)
    proxy.add(strong: log, priority: 3)
    let dead = StoppedPage()
    proxy.add(weak: dead, priority: -2)
    withExtendedLifetime(dead) {}
    expect("ptargets proxy", "proxy \(address(proxy))")
    expect("ptargets proxy", "1. \(address(log)), StoppedPage, strong, priority 3")
    expect("ptargets proxy", "2. \(address(page)), StoppedPage, weak, priority 0")
    expect("ptargets proxy", "3. dead, priority -2")
    expect("ptargets page", "is no MultiTargetProxy but a StoppedPage")
  }

  private func expectDelayed() {
    let late = timer.perform(after: .seconds(90)) {}
    let soon = timer.perform(after: .milliseconds(1500)) {}
    let cancelled = timer.perform(after: .seconds(1)) {}
    cancelled.cancel()
    expect("pdelayed", "timer \(address(timer)), 2 waiting")
    expect("pdelayed", "\(address(soon)) due at 1.500 s, 1.500 s after the timer's time, 0x")
    expect("pdelayed", "\(address(late)) due at 90.000 s, 90.000 s after the timer's time, 0x")
    print("refuse pdelayed|\(address(cancelled))")
  }
}
