/// A task of Swift's concurrency, as records name it.
public final class TracedTask: Sendable {
  /// The task's number, which no other task of its process has.
  public let number: UInt64

  /// The task's name, if the program gave it one.
  public let name: String?

  /// The number of the task of which it is a child; nil for a task that is no child.
  public let parent: UInt64?

  /// The priority with which it was created; nil if it has none of its own.
  public let priority: TracedQuality?

  /// The function that created it, and those around it, as for submissions; empty if that was not
  /// seen.
  public let creators: [TraceCaller]

  init(
    number: UInt64, name: String? = nil, parent: UInt64? = nil, priority: TracedQuality? = nil,
    creators: [TraceCaller] = []
  ) {
    self.number = number
    self.name = name
    self.parent = parent
    self.priority = priority
    self.creators = creators
  }
}

extension TracedTask {
  /// Whether a job's flags are those of a child task (`JobFlags` in Swift's ABI/MetadataValues.h).
  static func isChild(_ flags: UInt64) -> Bool { flags & (1 << 24 | 1 << 26 | 1 << 28) != 0 }

  /// The priority in a job's flags.
  static func priority(_ flags: UInt64) -> TracedQuality? {
    TracedQuality(rawValue: UInt8(truncatingIfNeeded: flags >> 8))
  }
}

extension TracedTask {
  /// A task by its process and its number there.
  package struct Key: Hashable, Sendable {
    package let process: Int32
    package let number: UInt64

    package init(process: Int32, number: UInt64) {
      (self.process, self.number) = (process, number)
    }
  }
}

extension TracedTask: CustomStringConvertible {
  /// The number and the name.
  public var description: String { name.map { "task \(number) (\($0))" } ?? "task \(number)" }
}

/// Why a thread ceases to run a task.
public enum TaskSuspension: UInt8, Sendable {
  /// The task awaits another task's result.
  case task = 1
  /// The task awaits a task group.
  case group
  /// The task awaits a continuation, as `Task.sleep` and callbacks do.
  case continuation
  /// The task goes on elsewhere, such as on an actor.
  case executor
  /// The task is suspended for another reason.
  case suspended
  /// The thread has returned from the task: it has ended, or is suspended in a way that was not
  /// seen.
  case left
  /// The thread runs another task: this one has ended before.
  case replaced

  /// The reason's name in outputs.
  package var name: String { "\(self)" }

  /// Whether the task goes on later, and the thread has said so.
  package var isWait: Bool { self != .left && self != .replaced }
}
