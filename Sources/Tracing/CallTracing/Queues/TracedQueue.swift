/// A queue of libdispatch, as records name it.
public final class TracedQueue: Sendable {
  /// The label that the program gave the queue, or libdispatch its own; empty without one.
  public let label: String

  /// Which of the queues of its process with this label it is, in the order in which the trace met
  /// them, from 1; the last number is that of all further ones.
  public let ordinal: Int

  /// Programs make any number of queues of a kind: so many are told apart.
  static let lastOrdinal = 64

  /// The label, with the ordinal if it is not the first: `name`, `name #2`.
  package let name: String

  /// Whether the queue runs one block at a time; nil if its creation was not seen.
  public let isSerial: Bool?

  /// The name of the queue that runs this one's blocks; nil if that is not known.
  public let target: String?

  /// The queue's quality of service; nil if it has none of its own.
  public let qualityOfService: TracedQuality?

  init(
    label: String, ordinal: Int = 1, isSerial: Bool?, target: String?,
    qualityOfService: TracedQuality?
  ) {
    self.label = label
    self.ordinal = ordinal
    let others = ordinal == Self.lastOrdinal ? " and others" : ""
    name = ordinal > 1 ? "\(label.isEmpty ? "(no label)" : label) #\(ordinal)\(others)" : label
    self.isSerial = isSerial
    self.target = target
    self.qualityOfService = qualityOfService
  }

  /// Stands for the queue that libdispatch chooses for iterations, where none is named
  /// (`DISPATCH_APPLY_AUTO`).
  static let automatic = TracedQueue(
    label: "auto", isSerial: false, target: nil, qualityOfService: nil)

  /// The name, or words if it is empty.
  var title: String { name.isEmpty ? "a queue without a label" : name }
}

extension TracedQueue: CustomStringConvertible {
  /// The name and the kind.
  public var description: String {
    isSerial.map { "\(title) (\($0 ? "serial" : "concurrent"))" } ?? title
  }
}
