/// A queue of libdispatch, as records name it.
public final class TracedQueue: Sendable {
  /// The label that the program gave the queue, or libdispatch its own; empty without one.
  public let label: String

  /// Whether the queue runs one block at a time; nil if its creation was not seen.
  public let isSerial: Bool?

  /// The label of the queue that runs this one's blocks; nil if that is not known.
  public let target: String?

  /// The queue's quality of service, such as `utility`; nil if it has none of its own.
  public let qualityOfService: String?

  init(label: String, isSerial: Bool?, target: String?, qualityOfService: String?) {
    self.label = label
    self.isSerial = isSerial
    self.target = target
    self.qualityOfService = qualityOfService
  }

  /// Stands for the queue that libdispatch chooses for iterations, where none is named
  /// (`DISPATCH_APPLY_AUTO`).
  static let automatic = TracedQueue(
    label: "auto", isSerial: false, target: nil, qualityOfService: nil)

  /// The label, or words if it is empty.
  var title: String { label.isEmpty ? "a queue without a label" : label }

  /// The name of a quality of service of `<sys/qos.h>`.
  static func name(ofQuality number: UInt32) -> String? {
    switch number {
    case 0x21: "userInteractive"
    case 0x19: "userInitiated"
    case 0x15: "default"
    case 0x11: "utility"
    case 0x09: "background"
    case 0x05: "maintenance"
    default: nil
    }
  }
}

extension TracedQueue: CustomStringConvertible {
  /// The label and the kind.
  public var description: String {
    isSerial.map { "\(title) (\($0 ? "serial" : "concurrent"))" } ?? title
  }
}
