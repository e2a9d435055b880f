import CommandOptionsAndResults
import TypeEncodings

/// The value of a word of the command line, given the type of its argument.
enum WordValue {
  case value(JSONValue)

  /// A C string's bytes.
  case text([UInt8])

  /// Parses a word: as JSON, otherwise as the text of a C string, or as `nan`, `inf` or `-inf`.
  ///
  /// - Throws: `malformedJSON`.
  init(_ word: [UInt8], for encoding: TypeEncoding, at place: String) throws(Failure) {
    do throws(JSONReader.Refusal) {
      self = .value(try JSONReader.value(of: word))
    } catch {
      let text = String(decoding: word, as: UTF8.self)
      switch encoding.kind {
      case .cString: self = .text(word)
      case .float, .double, .longDouble:
        guard ["nan", "inf", "-inf"].contains(text) else {
          throw Self.refusal(error, text, #", nor nan, inf or -inf"#, at: place)
        }
        self = .value(.string(text))
      case .pointer, .object, .class, .selector, .block, .functionPointer, .array:
        throw Self.refusal(
          error, text, #"; an address is written with its quotes: '"0x…"'"#, at: place)
      default:
        throw Self.refusal(error, text, "", at: place)
      }
    }
  }

  private static func refusal(
    _ error: JSONReader.Refusal, _ text: String, _ remedy: String, at place: String
  ) -> Failure {
    Failure(
      code: "malformedJSON",
      message: "\(place): \(JSONValue.string(text).shown) is no JSON (\(error.message))\(remedy)",
      offset: error.offset, input: text)
  }
}
