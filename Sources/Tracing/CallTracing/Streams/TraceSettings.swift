/// The settings of a program that is traced from outside, in one environment variable.
///
/// The text has one line `name=value` per setting.
package struct TraceSettings: Hashable, Sendable {
  /// The variable's name.
  package static let variable = "BLOCK_TRACER"

  /// The directory in which streams are created.
  package var directory: String

  /// The capacity of a stream, in bytes.
  package var capacity = TraceStreamWriter.defaultCapacity

  /// Whether nothing is traced until the trace's switch is turned.
  package var startsIdle = false

  /// Whether programs that the traced one starts or executes are traced too.
  package var followsPrograms = true

  /// How many callers are recorded of what is sent to a queue.
  package var callerCount = 1

  /// Whether arguments and results are recorded.
  package var recordsValues = true

  /// Whether the calls of blocks are traced.
  package var tracesBlocks = true

  /// Whether the waits of event loops are traced.
  package var tracesLoops = false

  /// The C functions whose calls are traced: each its name, `=` and its type encoding.
  package var functions: [String] = []

  /// The fault that calls of these functions get; nil for none.
  package var fault: InjectedFault?

  /// Patterns of the names of the Swift functions whose calls are counted.
  package var swiftCalls: [String] = []

  /// Patterns of the names of the Swift functions whose calls are recorded, and counted.
  package var swiftDurations: [String] = []

  /// The library that defines the functions; nil for any.
  package var library: String?

  /// Patterns of the images that hold the blocks' code, or that call the function; all images if
  /// empty.
  package var images: [String] = []

  /// Patterns of images that are left out.
  package var excludedImages: [String] = []

  /// Patterns of the names of the blocks' functions; all functions if empty.
  package var symbols: [String] = []

  /// Patterns of names that are left out.
  package var excludedSymbols: [String] = []

  /// Patterns of the blocks' signatures; all signatures if empty.
  package var signatures: [String] = []

  /// Patterns of the labels of the queues that run the calls; all queues if empty.
  package var queues: [String] = []

  private static let lists:
    [(name: String, list: any (WritableKeyPath<Self, [String]> & Sendable))] = [
      ("image", \.images), ("exclude-image", \.excludedImages), ("symbol", \.symbols),
      ("exclude-symbol", \.excludedSymbols), ("signature", \.signatures), ("queue", \.queues),
      ("function", \.functions), ("swift-call", \.swiftCalls),
      ("swift-duration", \.swiftDurations),
    ]

  /// Creates settings that trace everything.
  ///
  /// - Parameter directory: The directory in which streams are created.
  package init(directory: String) { self.directory = directory }

  /// Parses settings; nil if there are none, or if this version does not understand them.
  ///
  /// - Parameter text: The variable's value.
  package init?(_ text: String) {
    self.init(directory: "")
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, set(String(parts[0]), String(parts[1])) else { return nil }
    }
    guard !directory.isEmpty else { return nil }
  }

  private mutating func set(_ name: String, _ value: String) -> Bool {
    switch name {
    case "directory": directory = value
    case "capacity":
      guard let number = Int(value) else { return false }
      capacity = number
    case "callers":
      guard let number = Int(value) else { return false }
      callerCount = number
    case "idle": startsIdle = value == "yes"
    case "follow": followsPrograms = value == "yes"
    case "values": recordsValues = value == "yes"
    case "blocks": tracesBlocks = value == "yes"
    case "loops": tracesLoops = value == "yes"
    case "library": library = value
    case "fault":
      guard let known = InjectedFault(value) else { return false }
      fault = known
    default:
      guard let list = Self.lists.first(where: { $0.name == name })?.list else { return false }
      self[keyPath: list].append(value)
    }
    return true
  }

  /// The variable's value for the settings; no setting may contain a line break.
  package var text: String {
    var lines = ["directory=\(directory)", "capacity=\(capacity)"]
    lines.append("follow=\(followsPrograms ? "yes" : "no")")
    lines += ["callers=\(callerCount)", "values=\(recordsValues ? "yes" : "no")"]
    lines.append("blocks=\(tracesBlocks ? "yes" : "no")")
    if tracesLoops { lines.append("loops=yes") }
    if startsIdle { lines.append("idle=yes") }
    if let library { lines.append("library=\(library)") }
    if let fault { lines.append("fault=\(fault.text)") }
    for (name, list) in Self.lists { lines += self[keyPath: list].map { "\(name)=\($0)" } }
    return lines.joined(separator: "\n")
  }
}
