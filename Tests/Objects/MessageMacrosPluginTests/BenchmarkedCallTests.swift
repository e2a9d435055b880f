#if Macros
import Foundation
import SwiftParser
import SwiftSyntax
import XCTest

/// What the benchmarks measure: the text of their hooked class is what the attributes write.
final class BenchmarkedCallTests: XCTestCase {
  func testTheBenchmarksMeasureWhatTheAttributesWrite() throws {
    let rows = "../../../../Benchmarks/Sources/Bench/Rows/SwiftCallRows.swift"
    let measured = try Self.packed(
      String(contentsOf: URL(fileURLWithPath: #filePath + "/" + rows).standardized, encoding: .utf8)
    )
    let method = "func add(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }"
    let property = "@Hookable(.stored) var level: Int32 = Int32(Sums.second)"
    let parts =
      Self.parts("class Instrument { @HookedCall(\"of_add_1\") \(method) }", ["add"])
      + Self.parts(
        "@Messages(.calls) class Instrument { \(property) }", ["_body_level", "_sent_level"])
      + Self.parts(
        "@Messages(.calls) class Instrument { \(method); \(property) }", ["of_add_1", "of_level"])
    XCTAssertEqual(parts.count, 9, "\(parts)")
    for part in parts { XCTAssertTrue(measured.contains(part), part) }
  }

  /// The functions, the constants and the entries of tables of an expansion whose names contain some text;
  /// of functions of one name the first, for the second writes a property.
  private static func parts(_ source: String, _ names: [String]) -> [String] {
    let text = ExpandedSource(source).text.split(separator: "\n")
      .filter { !$0.contains("#sourceLocation") }.joined(separator: "\n")
    let finder = PartFinder(names)
    finder.walk(Parser.parse(source: text))
    return finder.parts.map(packed)
  }

  private static func packed(_ text: String) -> String {
    text.replacingOccurrences(of: "MessageForwarding.", with: "").filter { !$0.isWhitespace }
  }
}

private final class PartFinder: SyntaxVisitor {
  private let names: [String]
  private var seen: Set<String> = []
  var parts: [String] = []

  init(_ names: [String]) {
    self.names = names
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ function: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    add(function, named: function.name.text)
    return .skipChildren
  }

  override func visit(_ variable: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let name = variable.bindings.first?.pattern.trimmedDescription, name != "methods" else {
      return .visitChildren
    }
    add(variable, named: name)
    return .skipChildren
  }

  override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard call.calledExpression.trimmedDescription.hasPrefix("_Calls.") else {
      return .visitChildren
    }
    add(call, named: call.calledExpression.trimmedDescription)
    return .skipChildren
  }

  private func add(_ node: some SyntaxProtocol, named name: String) {
    guard names.contains(where: { name.contains($0) }), seen.insert(name).inserted else { return }
    parts.append(node.trimmedDescription)
  }
}
#endif
