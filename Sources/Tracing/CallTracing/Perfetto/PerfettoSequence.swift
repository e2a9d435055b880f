internal import CodeSymbols

/// The packets of one thread: each has the time since the one before, and texts are written once.
struct PerfettoSequence {
  private typealias Format = PerfettoFormat

  /// A name of events, and the place in the program that they have.
  struct Title: Hashable {
    let name: String
    let function: String?
    let image: String?
    let place: CodePlace?

    var textBytes: Int {
      name.utf8.count + (function?.utf8.count ?? 0) + (image?.utf8.count ?? 0)
    }
  }

  private let number: UInt64
  private var titles = NumberedValues<Title>()
  private var texts = NumberedValues<String>()
  private let locate: LocationSearch?

  /// The time of the last packet.
  private var last: UInt64

  /// Begins a sequence.
  ///
  /// - Parameters:
  ///   - number: The number of the sequence, which no other one of the trace has.
  ///   - track: The number of the track of its events.
  ///   - start: A time, which all sequences of the trace have.
  ///   - wallClockAtZero: The wall clock's time at the zero of these times; nil if that is not
  ///     known.
  ///   - locate: Finds where code was written; nil if nothing does.
  ///   - trace: Gets the first packet.
  init(
    _ number: UInt64, track: UInt64, start: UInt64, wallClockAtZero: UInt64?,
    locating locate: LocationSearch?, _ trace: inout ProtobufWriter
  ) {
    self.number = number
    self.locate = locate
    last = start
    trace.append(Format.Trace.packet) { packet in
      packet.append(Format.Packet.sequence, number)
      packet.append(Format.Packet.sequenceFlags, Format.isCleared)
      packet.append(Format.Packet.clockSnapshot) { snapshot in
        let clocks: [(Format.ClockNumber, UInt64?)] = [
          (.ofTrace, start), (.ofSequence, start), (.ofWall, wallClockAtZero.map { $0 &+ start }),
        ]
        for case let (clock, time?) in clocks {
          snapshot.append(Format.Snapshot.clocks) {
            $0.append(Format.Clock.number, clock.rawValue)
            $0.append(Format.Clock.timestamp, time)
            if clock == .ofSequence { $0.append(Format.Clock.isIncremental, 1) }
          }
        }
      }
      packet.append(Format.Packet.defaults) { defaults in
        defaults.append(
          Format.Packet.timestampClock, Format.ClockNumber.ofSequence.rawValue)
        defaults.append(Format.Packet.trackEvent) { $0.append(Format.Event.track, track) }
      }
      packet.append(Format.Packet.internedData) { data in
        for category in PerfettoCategory.allCases {
          data.append(.category, category.rawValue, category.name)
        }
        for annotation in PerfettoAnnotation.allCases {
          data.append(.annotationName, annotation.rawValue, annotation.name)
        }
      }
    }
  }

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - type: What it is.
  ///   - time: The time; it may be before that of the last event.
  ///   - title: Its name; nil for the end of a call.
  ///   - labels: Annotations with texts that occur often.
  ///   - trace: Gets the packet.
  ///   - fill: Appends other fields of the event.
  /// - Returns: How many bytes of texts are remembered since.
  @discardableResult
  mutating func append(
    _ type: PerfettoFormat.EventType, at time: UInt64, _ title: Title? = nil,
    labels: [(PerfettoAnnotation, String)] = [], to trace: inout ProtobufWriter,
    _ fill: (inout ProtobufWriter) -> Void = { _ in }
  ) -> Int {
    let titleNumber = title.map { titles.number(of: $0) }
    let numbers = labels.map { (annotation: $0.0, text: $0.1, texts.number(of: $0.1)) }
    let isInOrder = time >= last
    trace.append(Format.Trace.packet) { packet in
      packet.append(Format.Packet.sequence, number)
      packet.append(Format.Packet.timestamp, isInOrder ? time - last : time)
      if !isInOrder {
        packet.append(Format.Packet.timestampClock, Format.ClockNumber.ofTrace.rawValue)
      }
      if titleNumber?.isNew == true || numbers.contains(where: { $0.2.isNew }) {
        packet.append(Format.Packet.internedData) { data in
          if let title, let titleNumber, titleNumber.isNew {
            data.append(title, UInt64(titleNumber.number + 1), locating: locate)
          }
          for (_, text, (number, isNew)) in numbers where isNew {
            data.append(.text, UInt64(number + 1), text)
          }
        }
      }
      packet.append(Format.Packet.trackEvent) { event in
        event.append(Format.Event.type, type.rawValue)
        if let title, let titleNumber {
          event.append(Format.Event.name, UInt64(titleNumber.number + 1))
          if title.function != nil {
            event.append(Format.Event.source, UInt64(titleNumber.number + 1))
          }
        }
        for (annotation, _, text) in numbers {
          event.append(Format.Event.annotation) {
            $0.append(Format.Annotation.name, annotation.rawValue)
            $0.append(Format.Annotation.internedText, UInt64(text.number + 1))
          }
        }
        fill(&event)
      }
    }
    if isInOrder { last = time }
    let titleBytes = titleNumber?.isNew == true ? title?.textBytes : nil
    return numbers.reduce(titleBytes ?? 0) { $0 + ($1.2.isNew ? $1.text.utf8.count : 0) }
  }
}

extension ProtobufWriter {
  /// Appends an annotation with a text.
  mutating func append(_ annotation: PerfettoAnnotation, _ text: String) {
    append(PerfettoFormat.Event.annotation) {
      $0.append(PerfettoFormat.Annotation.name, annotation.rawValue)
      $0.append(PerfettoFormat.Annotation.text, text)
    }
  }

  /// Appends an annotation with a number.
  mutating func append(_ annotation: PerfettoAnnotation, _ number: UInt64) {
    append(PerfettoFormat.Event.annotation) {
      $0.append(PerfettoFormat.Annotation.name, annotation.rawValue)
      $0.append(PerfettoFormat.Annotation.number, number)
    }
  }

  /// Appends a text to interned data.
  fileprivate mutating func append(
    _ field: PerfettoFormat.Interned, _ number: UInt64, _ text: String
  ) {
    append(field) {
      $0.append(PerfettoFormat.InternedText.number, number)
      $0.append(PerfettoFormat.InternedText.value, text)
    }
  }

  fileprivate mutating func append(
    _ title: PerfettoSequence.Title, _ number: UInt64, locating locate: LocationSearch?
  ) {
    append(.eventName, number, title.name)
    guard let function = title.function else { return }
    let location = title.place.flatMap { locate?($0) }
    append(PerfettoFormat.Interned.source) {
      $0.append(PerfettoFormat.Source.number, number)
      if let file = location?.file ?? title.image {
        $0.append(PerfettoFormat.Source.file, file)
      }
      $0.append(PerfettoFormat.Source.function, function)
      if let location { $0.append(PerfettoFormat.Source.line, UInt64(location.line)) }
    }
  }
}
