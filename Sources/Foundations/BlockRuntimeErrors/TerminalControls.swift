// Text of others in lines and messages, which people read on terminals.
extension Unicode.Scalar {
  /// Whether a terminal may obey it, or show what is around it as another text: a control, what changes
  /// the direction or the form of text, and what ends lines.
  package var controlsTerminals: Bool {
    guard value >= 0x7F else { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
