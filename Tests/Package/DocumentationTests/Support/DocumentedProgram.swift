import Foundation
import TestSupport

/// A program that a Markdown file shows: Swift that a reader may copy as it stands, and what it
/// prints.
///
/// Each fence of Swift is a program of its own, unless the page says that its Swift is one program.
/// A fence that begins with the tools version, or with a dot, is of a `Package.swift`, and is left
/// out. Fences without a language that follow Swift are what it prints.
struct DocumentedProgram {
  /// The file, from the package's root.
  let file: String

  /// The number of the program's first line in the file.
  let line: Int

  /// The program, as a reader copies it.
  let text: String

  /// The program, which tells the compiler where each part stands in the file.
  let source: String

  /// What the file says that the program prints; nil where it says nothing.
  let output: String?

  /// The number of each line of the output in the file.
  private let outputLines: [Int]

  /// The sentence of a page whose fences belong together.
  static let statement = "is one program"

  /// The programs of a Markdown file, in order.
  ///
  /// - Parameter file: Its path from the package's root.
  /// - Returns: The programs; none if the file has no Swift.
  /// - Throws: `CompilerError` for a fence that is not closed, and for a comment: who copies what
  ///   is shown does not get it. What the file system does.
  static func all(in file: String) throws -> [DocumentedProgram] {
    let text = try String(
      contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
    if let comment = text.range(of: "<!--") {
      let line = text[..<comment.lowerBound].count { $0 == "\n" } + 1
      throw CompilerError(description: "\(file):\(line): a comment, which readers do not see")
    }
    let fences = try fences(of: text, file).filter {
      !$0.isOfManifest && ($0.language == "swift" || $0.language.isEmpty)
    }.drop { $0.language.isEmpty }
    guard let first = fences.first else { return [] }
    // Said before the first part, for it is meant for readers who come to copy.
    let isOneProgram = text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix(first.line).contains { $0.contains(statement) }
    let begins = fences.indices.filter { fences[$0].language == "swift" }
      .prefix(isOneProgram ? 1 : fences.count)
    return zip(begins, begins.dropFirst() + [fences.endIndex]).map {
      DocumentedProgram(file, fences[$0..<$1])
    }
  }

  private init(_ file: String, _ fences: ArraySlice<Fence>) {
    let swift = fences.filter { $0.language == "swift" }
    let outputs = fences.filter { $0.language.isEmpty }
    self.file = file
    line = swift.first?.line ?? 1
    text = swift.map(\.body).joined()
    source = swift.map { "#sourceLocation(file: \"\(file)\", line: \($0.line))\n" + $0.body }
      .joined()
    output = outputs.isEmpty ? nil : outputs.map(\.body).joined()
    outputLines = outputs.flatMap { fence in fence.lines.indices.map { fence.line + $0 } }
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

  private struct Fence {
    let language: String
    /// The number of its first line.
    let line: Int
    var lines: [Substring] = []

    var body: String { lines.map { $0 + "\n" }.joined() }

    var isOfManifest: Bool {
      guard let first = lines.first else { return false }
      return first.hasPrefix(".") || first.hasPrefix("// swift-tools-version")
    }
  }

  /// The fenced parts of a text, in order.
  private static func fences(of text: String, _ file: String) throws -> [Fence] {
    var fences: [Fence] = []
    var current: Fence?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let fence = current, line == "```" {
        fences.append(fence)
        current = nil
      } else if current != nil {
        current?.lines.append(line)
      } else if line.hasPrefix("```") {
        current = Fence(language: String(line.dropFirst(3)), line: index + 2)
      }
    }
    if let open = current {
      throw CompilerError(description: "\(file):\(open.line): this is not closed by ```")
    }
    return fences
  }
}
