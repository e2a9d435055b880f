import CommandOptionsAndResults

/// An event of a block of `hook-demo delay`.
struct DelayEvent: Sendable {
  /// The kinds of event; their names are those of the JSON document.
  ///
  /// The repeating block `ticked` when it ran, and `ended` when its owner died.
  enum Kind: String { case scheduled, ran, cancelled, moved, ticked, ended }

  /// The block's number; 0 is the repeating block.
  let block: Int

  let kind: Kind

  /// The time of the event, from the beginning.
  let at: Duration

  /// The time for which the block was scheduled, after the event; nil when the repeating block
  /// ended.
  let due: Duration?

  /// How late the block ran: negative if it ran before its time, nil if it did not run.
  var lateness: Duration? { kind == .ran || kind == .ticked ? due.map { at - $0 } : nil }

  /// A block's name in text output.
  static func name(of block: Int) -> String { block == 0 ? "ticker" : "block \(block)" }

  /// The event as a line of text.
  func text(_ style: TextStyle) -> String {
    let due = due ?? .zero
    let word = kind.rawValue
    let (coloured, remark) =
      switch kind {
      case .scheduled: (style.faint(word), "for \(due.secondsText)")
      case .moved: (style.code(word), "to \(due.secondsText)")
      case .cancelled: (style.bad(word), "\((due - at).shortText) before its time")
      case .ended: (style.bad(word), "its owner died")
      case .ran: (style.good(word), lateText)
      case .ticked: (style.faint(word), lateText)
      }
    return "\(at.secondsText)  \(Self.name(of: block))  \(coloured)  \(remark)\n"
  }

  private var lateText: String {
    let late = lateness ?? .zero
    return late < .zero ? "now, \((.zero - late).shortText) early" : "\(late.shortText) late"
  }

  var json: JSONValue {
    .object([
      ("block", .integer(block)), ("event", .string(kind.rawValue)), ("at_ms", at.milliseconds),
      ("due_ms", due?.milliseconds ?? .null), ("lateness_us", lateness?.microseconds ?? .null),
    ])
  }
}
