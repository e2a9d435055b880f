import Foundation
import TestSupport

/// Swift in a documentation comment.
struct CommentSnippet {
  /// The source file that it stands in, from the package's root.
  let file: String

  /// The number of its first line there.
  let line: Int

  /// Its text.
  let text: String

  /// A file of Swift that is compiled in its stead; it tells the compiler where the snippet stands.
  ///
  /// A snippet becomes a function, so that the names of several do not meet; an extension stands
  /// alone.
  var source: String {
    let modules = [
      "BlockRuntime", "CallExpectations", "CallMemoization", "CallRecording", "CallTracing",
      "Foundation", "HotReload",
      "InvocationOperations", "Observation", "ObservationBridge", "RetainCycles", "SourceLocations",
      "SymbolInterposing",
    ]
    let imports = modules.map { "import \($0)\n" }.joined()
    let place = "#sourceLocation(file: \"\(file)\", line: \(line))\n"
    if text.hasPrefix("extension ") { return imports + place + text }
    let effects = text.contains("await ") ? "async throws" : "throws"
    let function = "private func snippet() \(effects) {\n"
    return imports + function + place + text + "#sourceLocation()\n}\n"
  }

  /// The snippets of a source file, in order.
  ///
  /// - Parameter file: Its path from the package's root.
  /// - Returns: The snippets.
  /// - Throws: What the file system does.
  static func all(in file: String) throws -> [CommentSnippet] {
    let content = try String(contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
    var snippets: [CommentSnippet] = []
    var text: String?
    var first = 0
    let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.drop { $0 == " " }
      if words == "/// ```swift" {
        text = ""
        first = index + 2
      } else if let finished = text, words == "/// ```" {
        snippets.append(CommentSnippet(file: file, line: first, text: finished))
        text = nil
      } else if text != nil {
        text? += words.dropFirst(4) + "\n"
      }
    }
    if text != nil { throw CompilerError(description: "\(file):\(first): the snippet has no end") }
    return snippets
  }
}
