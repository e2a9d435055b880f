/// Numbers of Perfetto's trace format, as its `perfetto_trace.proto` gives them
/// (<https://perfetto.dev/docs/reference/trace-packet-proto>).
enum PerfettoFormat {
  /// `Trace.packet`: a trace is a sequence of these.
  static let packet: UInt64 = 1

  /// Fields of `TracePacket`.
  enum Packet {
    static let clockSnapshot: UInt64 = 6
    static let timestamp: UInt64 = 8
    static let sequence: UInt64 = 10
    static let trackEvent: UInt64 = 11
    static let internedData: UInt64 = 12
    static let sequenceFlags: UInt64 = 13
    static let timestampClock: UInt64 = 58
    static let defaults: UInt64 = 59
    static let trackDescriptor: UInt64 = 60
  }

  /// `SEQ_INCREMENTAL_STATE_CLEARED` of `TracePacket.sequence_flags`: a sequence begins.
  static let isCleared: UInt64 = 1

  /// Fields of `ClockSnapshot` and `ClockSnapshot.Clock`, and numbers of clocks.
  enum Clock {
    static let clocks: UInt64 = 1
    static let number: UInt64 = 1
    static let timestamp: UInt64 = 2
    static let isIncremental: UInt64 = 3

    /// `BUILTIN_CLOCK_REALTIME`, by which viewers tell the time of day.
    static let ofWall: UInt64 = 1

    /// `BUILTIN_CLOCK_BOOTTIME`, in which traces are shown.
    static let ofTrace: UInt64 = 6

    /// A clock of one sequence, which counts from the packet before.
    static let ofSequence: UInt64 = 64
  }

  /// Fields of `TrackDescriptor`, `ProcessDescriptor` and `ThreadDescriptor`.
  enum Track {
    static let number: UInt64 = 1
    static let process: UInt64 = 3
    static let thread: UInt64 = 4
    static let processNumber: UInt64 = 1
    static let processName: UInt64 = 6
    static let threadNumber: UInt64 = 2
    static let threadName: UInt64 = 5
  }

  /// Fields of `TrackEvent`, and of its defaults.
  enum Event {
    static let category: UInt64 = 3
    static let annotation: UInt64 = 4
    static let type: UInt64 = 9
    static let name: UInt64 = 10
    static let track: UInt64 = 11
    static let source: UInt64 = 34

    /// `flow_ids_old` and `terminating_flow_ids_old`: those that replaced them take eight bytes.
    static let flow: UInt64 = 36
    static let endOfFlow: UInt64 = 42
  }

  /// Values of `TrackEvent.type`.
  enum EventType {
    static let begin: UInt64 = 1
    static let end: UInt64 = 2
    static let instant: UInt64 = 3
  }

  /// Fields of `DebugAnnotation`.
  enum Annotation {
    static let name: UInt64 = 1
    static let number: UInt64 = 3
    static let text: UInt64 = 6
    static let internedText: UInt64 = 17
  }

  /// Fields of `InternedData`, and of what it has.
  enum Interned {
    static let category: UInt64 = 1
    static let eventName: UInt64 = 2
    static let annotationName: UInt64 = 3
    static let source: UInt64 = 4
    static let text: UInt64 = 29
    static let number: UInt64 = 1
    static let value: UInt64 = 2
    static let sourceFile: UInt64 = 2
    static let sourceFunction: UInt64 = 3
    static let sourceLine: UInt64 = 4
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
