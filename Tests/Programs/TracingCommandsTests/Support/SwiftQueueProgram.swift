#if Everything
/// A program in Swift that sends closures to queues in every way, each from a function of its own, and
/// prints how many of them ran.
enum SwiftQueueProgram {
  static let source = #"""
    import Dispatch
    import Glibc
    import Synchronization

    let counter = Atomic<Int>(0)
    @inline(never) func ran() { counter.add(1, ordering: .relaxed) }
    let serial = DispatchQueue(label: "s.serial", qos: .utility)
    let concurrent = DispatchQueue(label: "s.concurrent", attributes: .concurrent)
    let targeted = DispatchQueue(label: "s.targeted", target: serial)
    let group = DispatchGroup()
    let done = DispatchSemaphore(value: 0)
    let suspended = DispatchQueue(label: "s.suspended", attributes: .initiallyInactive)

    @inline(never) func byAsync() { serial.async { ran() } }
    @inline(never) func bySync() { serial.sync { ran() } }
    @inline(never) func bySyncResult() { if serial.sync(execute: { ran(); return 5 }) != 5 { abort() } }
    @inline(never) func bySyncBarrier() { concurrent.sync(flags: .barrier) { ran() } }
    @inline(never) func byGroup() { targeted.async(group: group) { ran() } }
    @inline(never) func byGlobal() { DispatchQueue.global(qos: .utility).async(group: group) { ran() } }
    @inline(never) func byBarrier() { concurrent.async(flags: .barrier) { ran() } }
    @inline(never) func byQuality() { concurrent.async(qos: .userInitiated) { ran() } }
    @inline(never) func byAsyncAfter() {
      serial.asyncAfter(deadline: .now() + .milliseconds(2)) { ran(); done.signal() }
    }
    @inline(never) func byItem() {
      let item = DispatchWorkItem { ran() }
      serial.async(execute: item)
      item.wait()
    }
    @inline(never) func byItemSync() {
      let item = DispatchWorkItem { ran() }
      serial.sync(execute: item)
    }
    @inline(never) func byItemNotify() {
      let item = DispatchWorkItem { ran() }
      item.notify(queue: concurrent) { ran(); done.signal() }
      serial.async(execute: item)
    }
    @inline(never) func byCancelledItem() {
      let item = DispatchWorkItem { ran() }
      serial.asyncAfter(deadline: .now() + 100, execute: item)
      item.cancel()
    }
    @inline(never) func byNotify() { group.notify(queue: serial) { ran(); done.signal() } }
    @inline(never) func byPerform() { DispatchQueue.concurrentPerform(iterations: 4) { _ in ran() } }
    @inline(never) func byPending() {
      let count = CommandLine.argc
      suspended.async { if count > 0 { ran() } }
    }
    @inline(never) func byTimer() -> any DispatchSourceTimer {
      let timer = DispatchSource.makeTimerSource(queue: serial)
      timer.setEventHandler { ran(); timer.cancel() }
      timer.setCancelHandler { ran(); done.signal() }
      timer.schedule(deadline: .now())
      timer.resume()
      return timer
    }

    byAsync(); bySync(); bySyncResult(); bySyncBarrier(); byGroup(); byGlobal(); byBarrier(); byQuality()
    byAsyncAfter(); done.wait()
    byItem(); byItemSync()
    byItemNotify(); done.wait()
    byCancelledItem()
    byNotify(); done.wait()
    byPerform()
    let timer = byTimer(); done.wait()
    byPending()
    serial.sync {}
    concurrent.sync(flags: .barrier) {}
    print(counter.load(ordering: .relaxed))
    exit(0)
    """#
}
#endif
