import CommandOptionsAndResults

extension TextStyle {
  /// The heading of a demonstration.
  func title(_ text: String) -> String { strong(text) + "\n\n" }

  /// The mark of what behaved, or did not.
  func mark(_ holds: Bool) -> String { holds ? good("✓") : bad("✗") }

  /// Each fault with a mark, or what holds without any.
  func marked(_ faults: [String], or text: String) -> String {
    (faults.isEmpty ? [text] : faults).map { "\(mark(faults.isEmpty)) \($0)\n" }.joined()
  }
}
