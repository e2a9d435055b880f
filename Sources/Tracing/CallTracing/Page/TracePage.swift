private import CTracePage

/// The page of an `HTMLTraceSink`: the files of `CTracePage` with the data inserted.
///
/// The files are embedded by C, because `[UInt8]` literals, which SwiftPM's `embedInCode`
/// generates, would add eight seconds to the build of the library.
enum TracePage {
  /// Appends the page, including the number of calls that it does not show.
  static func append(_ page: TracePageData, unshownCount: Int, to text: inout TraceText) {
    var data = TraceText()
    page.append(unshownCount: unshownCount, to: &data)
    // SAFETY: each text is a constant of the program.
    var html = unsafe bytes(ctp_page())
    text.append(cut(&html, behind: "<style>\n"))
    text.append(unsafe bytes(ctp_style()))
    text.append(cut(&html, behind: #"id="trace">"#))
    text.append(embedded: data)
    text.append(cut(&html, behind: "'use strict';\n"))
    text.append(unsafe bytes(ctp_script()))
    text.append(html)
  }

  private static func bytes(_ text: ctp_text) -> ArraySlice<UInt8> {
    // SAFETY: the bytes are constants of the program, of the given number.
    unsafe Array(UnsafeBufferPointer(start: text.bytes, count: text.count))[...]
  }

  /// Removes and returns the page's beginning up to and including some words; all of it if they are
  /// missing.
  private static func cut(
    _ html: inout ArraySlice<UInt8>, behind words: String
  ) -> ArraySlice<UInt8> {
    let begin = html.indices.first { html[$0...].starts(with: words.utf8) }
    let end = begin.map { $0 + words.utf8.count } ?? html.endIndex
    defer { html = html[end...] }
    return html[..<end]
  }
}

extension TraceText {
  /// Appends JSON so that no text in it ends the enclosing HTML element or begins another.
  ///
  /// In JSON, `<` occurs in strings only, where it can be escaped.
  fileprivate mutating func append(embedded json: TraceText) {
    for part in json.bytes.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false) {
      if part.startIndex > 0 { append(#"\u003c"#) }
      append(part)
    }
  }
}
