import Foundation
import TestSupport

/// The program that a Markdown file is: all its Swift, in order, and what it prints.
struct DocumentedProgram {
  /// The file, from the package's root.
  let file: String

  /// The text, which tells the compiler where each part stands in the file.
  let source: String

  /// What the file says that the program prints; nil where it says nothing.
  let output: String?

  /// The number of each line of the output in the file.
  private let outputLines: [Int]

  /// Reads a Markdown file; nil if it has no Swift.
  ///
  /// Swift stands in fences of that language, and in comments that begin with `<!-- swift`. A fence
  /// that begins with a dot, or with the tools version, is of a `Package.swift`. Fences without a language that follow
  /// Swift are the output.
  ///
  /// - Parameter file: Its path from the package's root.
  /// - Throws: `CompilerError` for a fence that is not closed; what the file system does.
  init?(file: String) throws {
    var source = ""
    var output: String?
    var outputLines: [Int] = []
    let text = try String(
      contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
    for part in try Self.parts(of: text, file) {
      let body = part.lines.map { $0 + "\n" }.joined()
      if part.kind == "swift", !part.isOfManifest {
        source += "#sourceLocation(file: \"\(file)\", line: \(part.line))\n" + body
      } else if part.kind.isEmpty, !source.isEmpty {
        output = (output ?? "") + body
        outputLines += part.lines.indices.map { part.line + $0 }
      }
    }
    if source.isEmpty { return nil }
    self.file = file
    self.source = source
    self.output = output
    self.outputLines = outputLines
  }

  /// Where what the program printed differs from what the file says: a line of the file, and why.
  func difference(from printed: String) -> (line: Int, reason: String)? {
    guard let output, printed != output else { return nil }
    let promised = output.split(separator: "\n", omittingEmptySubsequences: false)
    let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
    let same = zip(promised, lines).prefix { $0 == $1 }.count
    func line(_ all: [Substring]) -> String { same < all.count ? "\"\(all[same])\"" : "no more" }
    return (
      same < outputLines.count ? outputLines[same] : outputLines.last ?? 1,
      "the program prints \(line(lines)), not \(line(promised)); all of it:\n\(printed)"
    )
  }

  private struct Part {
    let kind: String
    let line: Int
    var lines: [Substring] = []

    var isOfManifest: Bool {
      guard let first = lines.first else { return false }
      return first.hasPrefix(".") || first.hasPrefix("// swift-tools-version")
    }
  }

  /// The fences and comments of Swift, each with the number of its first line.
  private static func parts(of text: String, _ file: String) throws -> [Part] {
    var parts: [Part] = []
    var current: Part?
    var end = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let part = current, line == end {
        parts.append(part)
        current = nil
      } else if current != nil {
        current?.lines.append(line)
      } else if line == "<!-- swift" {
        current = Part(kind: "swift", line: index + 2)
        end = "-->"
      } else if line.hasPrefix("```") {
        current = Part(kind: String(line.dropFirst(3)), line: index + 2)
        end = "```"
      }
    }
    if let open = current {
      throw CompilerError(description: "\(file):\(open.line): this is not closed by \(end)")
    }
    return parts
  }
}
