/// An actor, as records name it: by its type and its address.
public final class TracedActor: Sendable {
  /// The name of its type, without the module; `MainActor` for the main actor.
  public let type: String

  /// Its address in its process, at which there may have been another actor before.
  public let address: UInt64

  init(type: String, address: UInt64) {
    self.type = type
    self.address = address
  }
}

extension TracedActor: CustomStringConvertible {
  /// The type and the address; the type alone for the main actor.
  public var description: String {
    type == "MainActor" ? type : "\(type) 0x\(String(address, radix: 16))"
  }
}

/// How much an actor had to do: the tasks that ran on it, and those that waited for it.
package struct ActorLoad: Sendable {
  /// Times, in nanoseconds.
  package struct Times: Sendable {
    package private(set) var count = 0
    package private(set) var total: UInt64 = 0
    package private(set) var longest: UInt64 = 0

    mutating func add(_ nanoseconds: UInt64) {
      count += 1
      total.addClamped(nanoseconds)
      longest = max(longest, nanoseconds)
    }
  }

  /// How long tasks ran on the actor, from one hop to the next.
  package private(set) var runs = Times()

  /// How long tasks waited that continued on it.
  package private(set) var waits = Times()

  /// The largest number of tasks that waited at once.
  package private(set) var deepest = 0

  private var waiting = 0

  mutating func ran(_ nanoseconds: UInt64) { runs.add(nanoseconds) }

  mutating func beginWait() {
    waiting += 1
    deepest = max(deepest, waiting)
  }

  mutating func endWait(after nanoseconds: UInt64) {
    forgetWait()
    waits.add(nanoseconds)
  }

  /// Notes that a wait has ended, or will never be seen to end.
  mutating func forgetWait() { waiting = max(waiting - 1, 0) }
}

extension ActorLoad: Comparable {
  package static func == (one: ActorLoad, other: ActorLoad) -> Bool { one.rank == other.rank }

  /// Whether tasks waited less long for the one, or, if they waited as long, ran less long.
  package static func < (one: ActorLoad, other: ActorLoad) -> Bool { one.rank < other.rank }

  private var rank: (UInt64, UInt64) { (waits.total, runs.total) }
}
