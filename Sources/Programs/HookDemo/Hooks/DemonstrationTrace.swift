import BlockRuntime
import CallTracing
import CommandOptionsAndResults

/// The trace of `--trace FORMAT FILE`: the calls of the demonstration's blocks, in a file.
final class DemonstrationTrace {
  enum Format: String {
    case text
    case json
    case perfetto
    case html

    func sink(_ output: TraceOutput) -> any TraceSink {
      switch self {
      case .text: TextTraceSink(output)
      case .json: JSONLinesTraceSink(output)
      case .perfetto: PerfettoTraceSink(output)
      case .html: HTMLTraceSink(output, title: "hook-demo hook")
      }
    }
  }

  private let format: Format
  private let path: String
  private let tracer: Tracer
  private let hooks: [Hook]

  /// Creates the file and begins to trace.
  ///
  /// - Throws: A `Failure` if the file cannot be written.
  init(_ format: Format, path: String, _ exhibits: Exhibits) throws(Failure) {
    self.format = format
    self.path = path
    let output = try Failure.catching { try TraceOutput(path: path) }
    var options = TraceOptions()
    // The step with eight threads makes too many calls to be read; the records of one second fit in
    // the queue.
    options.recordsPerSecond = 10_000
    options.queueCapacity = 16_384
    let tracer = Tracer(format.sink(output), options: options)
    self.tracer = tracer
    hooks = try Failure.catching {
      try exhibits.all.map { try $0.block.install(.tracing(with: tracer)) }
    }
  }

  /// Ends the trace, and writes all records to the file.
  func finish() {
    for hook in hooks { hook.removeAndWait() }
    tracer.close()
  }

  /// Whether all admitted records were written.
  var isComplete: Bool { lost == 0 }

  private var written: Int { tracer.counts.delivered - tracer.counts.lostBySinks }

  private var lost: Int { tracer.counts.dropped + tracer.counts.lostBySinks }

  /// How many calls could not be written, with a remedy; nil if all were.
  var failure: String? {
    let lost = tracer.counts.lostBySinks
    return lost == 0
      ? nil : "\(lost.of("call")) could not be written to \(path); give a file on a disk with room"
  }

  /// The counts of written and lost calls, as text.
  var summary: String {
    let hint =
      switch format {
      case .perfetto where isComplete: "; open it at https://ui.perfetto.dev"
      case .html where isComplete: "; open it in a browser"
      default: ""
      }
    return (isComplete ? "" : "✗ ")
      + "trace: \(written.of("call")) in \(path), "
      + "\(tracer.counts.suppressed) beyond 10000 a second, \(lost) lost"
      + "\(hint)\n"
  }

  /// The counts of written and lost calls, as a JSON document.
  var json: JSONValue {
    .object([
      ("format", .string(format.rawValue)), ("file", .string(path)),
      ("written", .integer(written)), ("suppressed", .integer(tracer.counts.suppressed)),
      ("lost", .integer(lost)),
    ])
  }
}
