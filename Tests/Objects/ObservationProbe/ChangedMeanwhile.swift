import DelayedBlocks
import Foundation
import Observation
import ObservationBridge
import Synchronization

/// A class of Observation's that threads may change without a lock of their own.
private final class Motor: KeyValueObservable, Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let stored = Mutex(0)

  var speed: Int {
    get {
      registrar.access(self, keyPath: \.speed)
      return stored.withLock { $0 }
    }
    set { registrar.withMutation(of: self, keyPath: \.speed) { stored.withLock { $0 = newValue } } }
  }
}

/// A class whose motor threads may replace.
private final class Boat: KeyValueObservable, Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let stored = Mutex(Motor())

  var motor: Motor {
    get {
      registrar.access(self, keyPath: \.motor)
      return stored.withLock { $0 }
    }
    set {
      let old = registrar.withMutation(of: self, keyPath: \.motor) {
        stored.withLock { stored in
          defer { stored = newValue }
          return stored
        }
      }
      withExtendedLifetime(old) {}
    }
  }
}

/// A class of Observation's whose value, when it is read, has another thread change something.
private final class Stage: KeyValueObservable, Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let stored: Mutex<(next: Stage?, value: Int)>
  private let meanwhile: @Sendable () -> Void

  init(_ next: Stage?, meanwhile: @escaping @Sendable () -> Void) {
    stored = Mutex((next, 0))
    self.meanwhile = meanwhile
  }

  var next: Stage {
    get {
      registrar.access(self, keyPath: \.next)
      return stored.withLock { $0.next } ?? self
    }
    set {
      registrar.withMutation(of: self, keyPath: \.next) { stored.withLock { $0.next = newValue } }
    }
  }

  var value: Int {
    get {
      registrar.access(self, keyPath: \.value)
      meanwhile()
      return stored.withLock { $0.value }
    }
    set {
      registrar.withMutation(of: self, keyPath: \.value) { stored.withLock { $0.value = newValue } }
    }
  }
}

/// Observes a path while another thread makes each level, one after the other, lead elsewhere: a level whenever
/// the path has been read, and before the changes of what was read are heard.
func observeWhileReplacingLevels() {
  for first in 0..<4 {
    let reads = Mutex(0)
    let replacements = Mutex<[Int: @Sendable () -> Void]>([:])
    let meanwhile: @Sendable () -> Void = {
      let number = reads.withLock { number in
        defer { number += 1 }
        return number
      }
      guard let replace = replacements.withLock({ $0[number] }) else { return }
      let hasEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        replace()
        hasEnded.signal()
      }
      hasEnded.wait()
    }
    func stages(_ count: Int) -> Stage {
      Stage(count > 1 ? stages(count - 1) : nil, meanwhile: meanwhile)
    }
    let (root, second, third, last) = (stages(4), stages(3), stages(2), stages(1))
    replacements.withLock {
      $0[first] = { root.next = second }
      $0[first + 1] = { second.next = third }
      $0[first + 2] = { third.next = last }
    }
    let latest = Mutex(0)
    root.observe(\.next.next.next.value) { _, change in latest.withLock { $0 = change.new ?? -1 } }
    replacements.withLock { $0 = [:] }
    root.next.next.next.value = 7
    print("replaced from read \(first):", latest.withLock { $0 })
  }
}

/// Calls a closure again and again on another thread, until a body returns.
///
/// - Parameters:
///   - change: The closure; receives the number of its call.
///   - body: Receives the number of calls so far.
private func whileChanging(
  _ change: @escaping @Sendable (Int) -> Void, _ body: (borrowing Atomic<Int>) -> Void
) {
  final class Changes: Sendable {
    let count = Atomic(0)
    let isOver = Atomic(false)
    let hasEnded = DispatchSemaphore(value: 0)
  }
  let changes = Changes()
  Thread.detachNewThread {
    while !changes.isOver.load(ordering: .acquiring) {
      change(changes.count.add(1, ordering: .relaxed).newValue)
    }
    changes.hasEnded.signal()
  }
  body(changes.count)
  changes.isOver.store(true, ordering: .releasing)
  changes.hasEnded.wait()
}

/// Observes a property that another thread changes all the time, also while it is read first.
func observeWhileChanging(rounds: Int) {
  var deaf = 0
  for _ in 0..<rounds {
    let motor = Motor()
    let heard = Mutex<[Int]>([])
    whileChanging({ motor.speed = $0 }) { changes in
      let limit = changes.load(ordering: .relaxed) + 3
      while changes.load(ordering: .relaxed) < limit { sched_yield() }
      for number in 0..<20 {
        motor.observe(\.speed) { _, change in
          if change.new == -1 { heard.withLock { $0.append(number) } }
        }
      }
    }
    motor.speed = -1
    deaf += 20 - heard.withLock { $0.count }
    motor.removeObservers()
  }
  print("deaf to a property:", deaf)
}

/// Observes paths that another thread makes lead through other objects, and changes their last objects.
func observeWhileReplacing(rounds: Int) {
  var deaf = 0
  for _ in 0..<rounds {
    let boat = Boat()
    let latest = Mutex(0)
    var observation: KeyValueObservation?
    whileChanging({ _ in boat.motor = Motor() }) { changes in
      let limit = changes.load(ordering: .relaxed) + 3
      while changes.load(ordering: .relaxed) < limit { sched_yield() }
      observation = boat.observe(\.motor.speed) { _, change in
        latest.withLock { $0 = change.new ?? -1 }
      }
    }
    boat.motor.speed = 7
    if latest.withLock({ $0 }) != 7 { deaf += 1 }
    observation?.remove()
  }
  print("deaf to a path:", deaf)
}

/// Delivers elsewhere what threads change at the same time.
func deliverWhileChanging(rounds: Int) {
  var wrong = 0
  for _ in 0..<rounds {
    let motor = Motor()
    let queue = DispatchQueue(label: "observer")
    let latest = Mutex(0)
    motor.observe(\.speed, on: .queue(queue)) { change in latest.withLock { $0 = change.new ?? -1 }
    }
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for value in 1...20 { motor.speed = 100 * (thread + 1) + value }
    }
    queue.sync {}
    if latest.withLock({ $0 }) != motor.speed { wrong += 1 }
  }
  print("not the last value:", wrong)
}
