internal import BlockRuntimeErrors

/// The bytes of an output while it is composed: text, numbers and JSON members.
struct TraceText {
  private(set) var bytes: [UInt8] = []

  /// Removes the bytes but keeps their memory.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func append(_ part: ArraySlice<UInt8>) { bytes += part }

  mutating func append(_ text: StaticString) {
    // SAFETY: a static string's bytes are never freed.
    unsafe bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Appends a number, with spaces before it up to a width.
  mutating func append(_ number: some FixedWidthInteger, width: Int = 0) {
    let digits = String(number).utf8
    bytes += repeatElement(UInt8(ascii: " "), count: max(width - digits.count, 0))
    bytes += digits
  }

  /// Appends text with spaces for what controls terminals, so that it stays on one line.
  mutating func append(line text: String) {
    for scalar in text.unicodeScalars {
      if scalar.controlsTerminals {
        bytes.append(UInt8(ascii: " "))
      } else if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += String(scalar).utf8
      }
    }
  }

  /// Appends a time as microseconds with three decimals, with spaces before them up to a width.
  mutating func append(microsecondsOf nanoseconds: UInt64, width: Int = 0) {
    let whole = String(nanoseconds / 1000)
    let rest = String(nanoseconds % 1000)
    bytes += repeatElement(UInt8(ascii: " "), count: max(width - whole.utf8.count - 4, 0))
    bytes += whole.utf8
    bytes.append(UInt8(ascii: "."))
    bytes += repeatElement(UInt8(ascii: "0"), count: 3 - rest.utf8.count)
    bytes += rest.utf8
  }

  mutating func append(json text: String) { JSONText.append(text, to: &bytes) }

  /// Appends a JSON string, or null.
  mutating func append(json text: String?) {
    if let text { append(json: text) } else { append("null" as StaticString) }
  }

  /// Appends a JSON array of strings.
  mutating func append(json texts: [String]) {
    append("[" as StaticString)
    for (index, text) in texts.enumerated() {
      if index > 0 { append("," as StaticString) }
      append(json: text)
    }
    append("]" as StaticString)
  }

  /// Appends a queue as a JSON object, or null.
  mutating func append(json queue: TracedQueue?) {
    guard let queue else { return append("null" as StaticString) }
    append(#"{"label":"# as StaticString)
    append(json: queue.label)
    append(#","ordinal":"# as StaticString)
    append(queue.ordinal)
    append(#","serial":"# as StaticString)
    append(json: queue.isSerial.map { $0 ? "true" : "false" as StaticString })
    append(#","target":"# as StaticString)
    append(json: queue.target)
    append(#","qos":"# as StaticString)
    append(json: queue.qualityOfService)
    append("}" as StaticString)
  }

  /// Appends a task as a JSON object, or null.
  mutating func append(json task: TracedTask?) {
    guard let task else { return append("null" as StaticString) }
    append(#"{"id":"# as StaticString)
    append(task.number)
    append(#","name":"# as StaticString)
    append(json: task.name)
    append(#","parent":"# as StaticString)
    append(json: task.parent)
    append(#","priority":"# as StaticString)
    append(json: task.priority)
    append(#","createdBy":"# as StaticString)
    append(json: task.creators.first?.shortTitle)
    append("}" as StaticString)
  }

  /// Appends a JSON word, or null.
  mutating func append(json word: StaticString?) { append(word ?? "null") }

  /// Appends a JSON number, or null.
  mutating func append(json number: UInt64?) {
    if let number { append(number) } else { append("null" as StaticString) }
  }

  /// Appends the members `outcome` and, if the call threw, `error`.
  mutating func append(json outcome: TraceRecord.Outcome) {
    append(#""outcome":""# as StaticString)
    append(outcome.name)
    append("\"" as StaticString)
    if case .threw(let error) = outcome {
      append(#","error":"# as StaticString)
      append(json: error)
    }
  }
}

extension TraceRecord.Outcome {
  /// The outcome's name in outputs: `returned`, `replaced`, `threw`, `unfinished`, `pending`,
  /// `cancelled` or `suspended`.
  package var name: String {
    switch self {
    case .returned: "returned"
    case .replaced: "replaced"
    case .threw: "threw"
    case .unfinished: "unfinished"
    case .pending: "pending"
    case .cancelled: "cancelled"
    case .suspended: "suspended"
    }
  }
}
