internal import BlockRuntimeErrors
import Glibc

/// The style of output for people: with colours, or plain.
package struct TextStyle {
  /// Whether colours are used.
  package let isColoured: Bool

  /// Whether very long lines are shortened, as on a terminal; files and pipes get them whole.
  package let isForTerminal: Bool

  /// Whether the last line can be written again, as on a terminal that is not dumb.
  package let canRewriteLine: Bool

  /// Colours on a terminal, but never with `NO_COLOR` in the environment (<https://no-color.org>).
  private init(for descriptor: Int32) {
    isForTerminal = isatty(descriptor) == 1
    canRewriteLine = isForTerminal && ProcessEnvironment["TERM"] != "dumb"
    isColoured = canRewriteLine && ProcessEnvironment["NO_COLOR"] == nil
  }

  private init() { (isColoured, isForTerminal, canRewriteLine) = (false, false, false) }

  /// The style of text for other processes.
  package static var plain: TextStyle { TextStyle() }

  /// The style for results.
  package static var forStandardOutput: TextStyle { TextStyle(for: STDOUT_FILENO) }

  /// The style for diagnostics.
  package static var forStandardError: TextStyle { TextStyle(for: STDERR_FILENO) }

  /// A headline or a name.
  package func strong(_ text: String) -> String { coloured(text, "1") }

  /// Secondary text.
  package func faint(_ text: String) -> String { coloured(text, "2") }

  /// A success.
  package func good(_ text: String) -> String { coloured(text, "32") }

  /// A failure.
  package func bad(_ text: String) -> String { coloured(text, "31") }

  /// Program text.
  package func code(_ text: String) -> String { coloured(text, "36") }

  private func coloured(_ text: String, _ attributes: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(attributes)m\(text)\u{1B}[0m" : text
  }

  /// A text with escapes in place of the characters that control terminals.
  package static func visible(_ text: String) -> String {
    var visible = ""
    for scalar in text.unicodeScalars {
      if scalar.controlsTerminals {
        visible += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}
