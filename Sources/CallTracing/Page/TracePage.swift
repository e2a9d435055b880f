/// The page of an `HTMLTraceSink`: its parts, each in a file of its own, put together.
enum TracePage {
  /// Appends the page, which says how many calls it does not show.
  static func append(_ page: TracePageData, unshownCount: Int, to text: inout TraceText) {
    var data = TraceText()
    page.append(unshownCount: unshownCount, to: &data)
    text.append(head)
    text.append(style)
    text.append(body)
    text.append(embedded: data)
    text.append(code)
    for script in [formats, model, view, painter, panels, controls] { text.append(script) }
    text.append(end)
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
