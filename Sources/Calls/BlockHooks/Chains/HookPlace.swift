private import Synchronization

/// The time of a hook's installation: a number that grows with every installation in the program.
package struct InstallationTime: Comparable, Sendable {
  private let number: UInt64

  private static let last = Atomic<UInt64>(0)

  /// A time before all installations.
  package static let first = InstallationTime(number: 0)

  /// A new time, later than all times before.
  package static func now() -> InstallationTime {
    InstallationTime(number: last.add(1, ordering: .relaxed).newValue)
  }

  package static func < (one: InstallationTime, other: InstallationTime) -> Bool {
    one.number < other.number
  }
}

/// The place of a hook among those around one original: the greatest is outermost.
struct HookPlace: Comparable, Sendable {
  let priority: Int
  let time: InstallationTime

  static func < (one: HookPlace, other: HookPlace) -> Bool {
    (one.priority, one.time) < (other.priority, other.time)
  }
}
