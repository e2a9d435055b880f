import Invocations
import MessageForwarding
import TestSupport

/// A receiver that may be used on every thread.
final class Later: MessageReceiver, Sendable {
  struct Failure: Error {}

  let calls = Recorder<Int>()
  let addend: @Sendable () -> Int
  let tracked: LifetimeTracker.Tracked?

  init(_ tracked: LifetimeTracker.Tracked? = nil, _ addend: @escaping @Sendable () -> Int) {
    self.addend = addend
    self.tracked = tracked
  }

  static var methods: MethodTable {
    MethodTable(Later.self) {
      Method("add:") { (self: Later, number: Int) -> Int in
        self.calls.record(number)
        return number + self.addend()
      }
      Method("fail") { (_: Later) throws -> Void in throw Failure() }
      Method("take:") { (self: Later, _: LifetimeTracker.Tracked) in self.calls.record(0) }
    }
  }
}
