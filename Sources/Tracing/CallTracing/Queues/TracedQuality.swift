/// A quality of service, one of `<sys/qos.h>`: how urgent a queue's or a task's work is.
public enum TracedQuality: UInt8, Sendable, Comparable {
  case maintenance = 0x05
  case background = 0x09
  case utility = 0x11
  case `default` = 0x15
  case userInitiated = 0x19
  case userInteractive = 0x21

  /// The name in outputs, such as `utility`.
  package var name: String { "\(self)" }

  /// Whether the first is less urgent.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
