// Texts that other programs have written, in lines and messages that people read on terminals.
extension Unicode.Scalar {
  /// Whether a terminal may obey the character, or show the text around it as another text: the
  /// character is a control, changes the direction or the form of text, or ends a line.
  package var controlsTerminals: Bool {
    guard value >= 0x7F else { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
