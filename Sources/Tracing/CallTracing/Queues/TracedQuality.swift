/// A quality of service, one of `<sys/qos.h>`: how urgent a queue's or a task's work is.
public enum TracedQuality: UInt8, Sendable, Comparable {
  /// Work that may wait for an idle machine, `QOS_CLASS_MAINTENANCE`.
  case maintenance = 0x05
  /// Work of which the user does not know, `QOS_CLASS_BACKGROUND`.
  case background = 0x09
  /// Work whose progress the user may see, `QOS_CLASS_UTILITY`.
  case utility = 0x11
  /// Work of no other quality, `QOS_CLASS_DEFAULT`.
  case `default` = 0x15
  /// Work for which the user waits, `QOS_CLASS_USER_INITIATED`.
  case userInitiated = 0x19
  /// Work that the user interacts with, `QOS_CLASS_USER_INTERACTIVE`.
  case userInteractive = 0x21

  /// The name in outputs, such as `utility`.
  package var name: String { "\(self)" }

  /// Whether the first is less urgent.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
