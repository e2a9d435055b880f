/// What is written as a JSON value.
package protocol TraceJSON {
  func append(to text: inout TraceText)
}

/// What is written as a JSON object.
package protocol TraceJSONObject: TraceJSON {
  func appendMembers(to text: inout TraceText)
}

extension TraceJSONObject {
  package func append(to text: inout TraceText) { text.append { appendMembers(to: &$0) } }
}

extension TraceText {
  /// Appends a JSON object, whose members `fill` appends.
  package mutating func append(object fill: (inout TraceText) -> Void) {
    append("{")
    fill(&self)
    append("}")
  }

  /// Appends a member of the object that was begun last.
  package mutating func append(_ name: String, _ value: some TraceJSON) {
    if bytes.last != UInt8(ascii: "{") { append(",") }
    name.append(to: &self)
    append(":")
    value.append(to: &self)
  }
}

extension FixedWidthInteger where Self: TraceJSON {
  package func append(to text: inout TraceText) { text.append(self) }
}

extension Int: TraceJSON {}
extension Int32: TraceJSON {}
extension UInt64: TraceJSON {}

extension Bool: TraceJSON {
  package func append(to text: inout TraceText) { text.append(self ? "true" : "false") }
}

extension String: TraceJSON {
  /// Appends a JSON string, in which control characters are escapes.
  package func append(to text: inout TraceText) {
    text.bytes.append(UInt8(ascii: "\""))
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.bytes.append(UInt8(ascii: "\\"))
        text.bytes.append(byte)
      case UInt8(ascii: "\n"): text.bytes += #"\n"#.utf8
      case UInt8(ascii: "\r"): text.bytes += #"\r"#.utf8
      case UInt8(ascii: "\t"): text.bytes += #"\t"#.utf8
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        text.bytes += #"\u"#.utf8
        text.bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        text.bytes += digits.utf8
      default: text.bytes.append(byte)
      }
    }
    text.bytes.append(UInt8(ascii: "\""))
  }
}

extension Optional: TraceJSON where Wrapped: TraceJSON {
  package func append(to text: inout TraceText) {
    if let self { self.append(to: &text) } else { text.append("null") }
  }
}

extension Array: TraceJSON where Element: TraceJSON {
  package func append(to text: inout TraceText) {
    text.append("[")
    for (index, element) in enumerated() {
      if index > 0 { text.append(",") }
      element.append(to: &text)
    }
    text.append("]")
  }
}

extension TracedQueue: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("label", label)
    text.append("ordinal", ordinal)
    text.append("serial", isSerial)
    text.append("target", target)
    text.append("qos", qualityOfService?.name)
  }
}

extension TracedTask: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("id", number)
    text.append("name", name)
    text.append("parent", parent)
    text.append("priority", priority?.name)
    text.append("createdBy", creators.first?.shortTitle)
  }
}

extension TraceObstacle: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("calls", callCount)
    text.append("name", longest.name)
    text.append("shortName", longest.shortName)
    text.append("duration", longestNanoseconds)
    text.append("enqueuedBy", submission?.callers.first?.shortTitle)
    text.append("qos", submission?.qualityOfService?.name)
  }
}

extension TracedActor: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("type", type)
    text.append("address", "0x" + String(address, radix: 16))
  }
}

extension TaskWait: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("actor", actor)
    text.append("task", task?.number)
    text.append("operation", operation?.shortTitle)
    text.append("functions", functions.map(\.shortTitle))
  }
}

extension TaskResumption: TraceJSONObject {
  package func appendMembers(to text: inout TraceText) {
    text.append("task", task?.number)
    text.append("thread", thread)
    text.append("time", nanoseconds)
    text.append("stack", callers.map(\.shortTitle))
  }
}
