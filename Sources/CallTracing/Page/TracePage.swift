private import CTracePage

/// The page of an `HTMLTraceSink`: the files of `CTracePage`, put together around the data.
///
/// C embeds them, for `[UInt8]` literals, which SwiftPM's `embedInCode` makes, would cost who builds
/// the library eight seconds.
enum TracePage {
  /// Appends the page, which says how many calls it does not show.
  static func append(_ page: TracePageData, unshownCount: Int, to text: inout TraceText) {
    var data = TraceText()
    page.append(unshownCount: unshownCount, to: &data)
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
    // SAFETY: the bytes are constants of the program.
    unsafe Array(UnsafeBufferPointer(start: text.bytes, count: text.count))[...]
  }

  /// Removes the page's beginning up to the first such words and these; all of it if there are none.
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
  /// Appends JSON so that no text in it ends the element that it stands in, or begins another.
  ///
  /// In JSON `<` occurs in strings only, where it has another spelling.
  fileprivate mutating func append(embedded json: TraceText) {
    for part in json.bytes.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false) {
      if part.startIndex > 0 { append(#"\u003c"# as StaticString) }
      append(part)
    }
  }
}
