import CommandOptionsAndResults

extension TextStyle {
  /// The heading of a demonstration.
  func title(_ text: String) -> String { strong(text) + "\n\n" }

  /// The mark of a step or check that holds, or does not.
  func mark(_ holds: Bool) -> String { holds ? good("✓") : bad("✗") }

  /// Each fault with its mark; if there is none, a text with the mark of what holds.
  func marked(_ faults: [String], or text: String) -> String {
    (faults.isEmpty ? [text] : faults).map { "\(mark(faults.isEmpty)) \($0)\n" }.joined()
  }
}
