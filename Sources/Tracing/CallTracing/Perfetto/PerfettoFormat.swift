/// Numbers of Perfetto's trace format, as its `perfetto_trace.proto` gives them
/// (<https://perfetto.dev/docs/reference/trace-packet-proto>).
enum PerfettoFormat {
  /// Fields of `Trace`, which is a sequence of packets.
  enum Trace: UInt64 {
    case packet = 1
  }

  /// Fields of `TracePacket`.
  enum Packet: UInt64 {
    case clockSnapshot = 6, timestamp = 8, sequence = 10, trackEvent = 11, internedData = 12
    case sequenceFlags = 13, timestampClock = 58, defaults = 59, trackDescriptor = 60
  }

  /// `SEQ_INCREMENTAL_STATE_CLEARED` of `TracePacket.sequence_flags`: a sequence begins.
  static let isCleared: UInt64 = 1

  /// Fields of `ClockSnapshot`.
  enum Snapshot: UInt64 {
    case clocks = 1
  }

  /// Fields of `ClockSnapshot.Clock`.
  enum Clock: UInt64 {
    case number = 1, timestamp, isIncremental
  }

  /// Numbers of clocks.
  enum ClockNumber: UInt64 {
    /// `BUILTIN_CLOCK_REALTIME`, by which viewers tell the time of day.
    case ofWall = 1
    /// `BUILTIN_CLOCK_BOOTTIME`, in which traces are shown.
    case ofTrace = 6
    /// A clock of one sequence, which counts from the packet before.
    case ofSequence = 64
  }

  /// Fields of `TrackDescriptor`.
  enum Track: UInt64 {
    case number = 1, process = 3, thread
  }

  /// Fields of `ProcessDescriptor`.
  enum Process: UInt64 {
    case number = 1, name = 6
  }

  /// Fields of `ThreadDescriptor`.
  enum Thread: UInt64 {
    case process = 1, number, name = 5
  }

  /// Fields of `TrackEvent`, and of its defaults.
  enum Event: UInt64 {
    case category = 3, annotation, type = 9, name, track, source = 34
    /// `flow_ids_old` and `terminating_flow_ids_old`: those that replaced them take eight bytes.
    case flow = 36, endOfFlow = 42
  }

  /// Values of `TrackEvent.type`.
  enum EventType: UInt64 {
    case begin = 1, end, instant
  }

  /// Fields of `DebugAnnotation`.
  enum Annotation: UInt64 {
    case name = 1, number = 3, text = 6, internedText = 17
  }

  /// Fields of `InternedData`.
  enum Interned: UInt64 {
    case category = 1, eventName, annotationName, source, text = 29
  }

  /// Fields of the texts in `InternedData`.
  enum InternedText: UInt64 {
    case number = 1, value
  }

  /// Fields of `SourceLocation`.
  enum Source: UInt64 {
    case number = 1, file, function, line
  }
}

/// Categories of events other than calls, by their numbers.
enum PerfettoCategory: UInt64, CaseIterable {
  case wait = 1
  case task

  var name: String { "\(self)" }
}

/// Names of what an event is annotated with, by their numbers.
enum PerfettoAnnotation: UInt64, CaseIterable {
  case arguments = 1
  case result, outcome, error, queue, task, parent, suspension, caller, taskName

  var name: String { "\(self)" }
}
