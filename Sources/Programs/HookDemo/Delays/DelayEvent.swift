import CommandOptionsAndResults

/// An event of a block of `hook-demo delay`.
struct DelayEvent: Sendable {
  /// The kinds of event; their names are those of the JSON document.
  enum Kind: String, Sendable {
    case scheduled
    case ran
    case cancelled
    case moved
    /// The repeating block ran.
    case ticked
    /// The repeating block ended, because its owner died.
    case ended
  }

  /// The block's number; 0 is the repeating block.
  let block: Int

  /// The kind of event.
  let kind: Kind

  /// The time of the event, from the beginning.
  let at: Duration

  /// The time for which the block was scheduled, after the event; nil when the repeating block
  /// ended.
  let due: Duration?

  /// How late the block ran: negative if it ran before its time, nil if it did not run.
  var lateness: Duration? {
    switch kind {
    case .ran, .ticked: due.map { at - $0 }
    case .scheduled, .cancelled, .moved, .ended: nil
    }
  }

  /// A block's name in text output.
  static func name(of block: Int) -> String { block == 0 ? "ticker" : "block \(block)" }

  /// The event as a line of text.
  func text(_ style: TextStyle) -> String {
    "\(at.secondsText)  \(Self.name(of: block))  \(word(style))  \(remark)\n"
  }

  private func word(_ style: TextStyle) -> String {
    switch kind {
    case .ran: style.good(kind.rawValue)
    case .cancelled, .ended: style.bad(kind.rawValue)
    case .scheduled, .ticked: style.faint(kind.rawValue)
    case .moved: style.code(kind.rawValue)
    }
  }

  private var remark: String {
    let due = due ?? .zero
    switch kind {
    case .scheduled: return "for \(due.secondsText)"
    case .moved: return "to \(due.secondsText)"
    case .cancelled: return "\((due - at).shortText) before its time"
    case .ended: return "its owner died"
    case .ran, .ticked:
      return at < due ? "now, \((due - at).shortText) early" : "\((at - due).shortText) late"
    }
  }

  /// The event as a JSON document.
  var json: JSONValue {
    .object([
      ("block", .integer(block)), ("event", .string(kind.rawValue)), ("at_ms", at.milliseconds),
      ("due_ms", due?.milliseconds ?? .null), ("lateness_us", lateness?.microseconds ?? .null),
    ])
  }
}
