import Foundation

/// Swift in a documentation comment.
struct CommentSnippet {
  /// A file of Swift that holds the snippet; it tells the compiler where the snippet stands.
  let source: String

  /// The snippets of a source file, in order.
  ///
  /// Each becomes a function, so that their names do not meet; extensions stand alone.
  ///
  /// - Parameter file: Its path from the package's root.
  /// - Returns: The snippets.
  /// - Throws: What the file system does.
  static func all(in file: String) throws -> [CommentSnippet] {
    let text = try String(contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
    var snippets: [CommentSnippet] = []
    var body: String?
    var start = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.drop { $0 == " " }
      if words == "/// ```swift" {
        body = ""
        start = index + 2
      } else if let finished = body, words == "/// ```" {
        let place = "#sourceLocation(file: \"\(file)\", line: \(start))\n"
        let isExtension = finished.hasPrefix("extension ")
        let imports = "import BlockRuntime\nimport Foundation\nimport InvocationOperations\n"
        let head = imports + (isExtension ? "" : "private func snippet() async throws {\n")
        let foot = "#sourceLocation()\n" + (isExtension ? "" : "}\n")
        snippets.append(CommentSnippet(source: head + place + finished + foot))
        body = nil
      } else if body != nil {
        body? += words.dropFirst(4) + "\n"
      }
    }
    return snippets
  }
}
