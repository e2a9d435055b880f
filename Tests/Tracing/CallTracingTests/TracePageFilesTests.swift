import CallTracing
import Foundation
import TestSupport
import XCTest

/// The files of which a page is made.
final class TracePageFilesTests: XCTestCase {
  private static let directory = PackageFiles.root
    .appendingPathComponent("\(PackageFiles.folder(of: "CTracePage"))/Page")

  private static func file(_ name: String) throws -> String {
    try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
  }

  private static func names(_ suffix: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(suffix) }.sorted()
  }

  /// A page without calls.
  private func page() -> String {
    let text = Recorder<String>()
    Tracer(HTMLTraceSink(TraceOutput(text.record))).close()
    return written(text)
  }

  func testThePageIsItsFilesAndTheData() throws {
    let page = try TracePageFile(page())
    var rest = page.frame
    for name in try Self.names() where name != "page.html" {
      let file = try Self.file(name)
      XCTAssertTrue(file.hasSuffix("\n"), name)
      let place = try XCTUnwrap(rest.range(of: file), "\(name) is not embedded as it is")
      rest.removeSubrange(place)
    }
    XCTAssertEqual(rest, try Self.file("page.html"))
  }

  func testTheStyleSheetAndTheScriptStandInTheirElements() throws {
    let frame = try TracePageFile(page()).frame
    XCTAssertTrue(frame.contains("<style>\n" + (try Self.file("style.css")) + "</style>\n"))
    XCTAssertTrue(frame.contains("<script>\n'use strict';\n" + (try Self.file("formats.js"))))
    XCTAssertTrue(frame.contains((try Self.file("controls.js")) + "</script>\n</body>\n"))
  }

  func testScriptsAreJavaScript() throws {
    guard let node = try? Compiler("node") else {
      throw XCTSkip("there is no node here; the browser's tests run the scripts")
    }
    let files = try CompiledFiles(self)
    let names = try Self.names(".js")
    XCTAssertGreaterThan(names.count, 3)
    var all = ""
    for name in names {
      let script = try Self.file(name)
      all += script
      let path = try files.write(name, Array("'use strict';\n\(script)".utf8))
      XCTAssertNoThrow(try node.run(["--check", path]), name)
    }
    // Names that two files declare.
    let path = try files.write("all.js", Array("'use strict';\n\(all)".utf8))
    XCTAssertNoThrow(try node.run(["--check", path]))
  }

  func testElementsAreClosedInOrderAndTheirNamesAreUnique() throws {
    let html = try Self.file("page.html")
    var open: [Substring] = []
    for tag in html.matches(of: /<(\/?)([a-z][a-z0-9]*)\b[^>]*>/) {
      if !tag.1.isEmpty {
        XCTAssertEqual(open.popLast(), tag.2, "\(tag.0) closes another element")
      } else if !["meta", "input"].contains(tag.2) {
        open.append(tag.2)
      }
    }
    XCTAssertEqual(open, [])
    let names = html.matches(of: /\bid="([^"]*)"/).map(\.1)
    XCTAssertEqual(Set(names).count, names.count)
    for name in try Self.names(".js") {
      for use in try Self.file(name).matches(of: /\belement\('([^']*)'\)/) {
        XCTAssertTrue(names.contains(use.1), "\(name) looks for \(use.1)")
      }
    }
  }

  /// A browser leaves out what it does not know, and says nothing.
  func testABrowserKnowsEveryRuleAndEveryValueOfTheStyleSheet() throws {
    let browser = try Browser()
    let css = try Self.file("style.css")
    XCTAssertFalse(css.contains("/*"), "the patterns below know no comments")
    let declarations = css.matches(of: /[{;]\s*([a-z-]+)\s*:\s*([^;{}!]+)(?:!important)?(?=[;}])/)
      .map { [String($0.1), String($0.2)] }
    XCTAssertGreaterThan(declarations.count, 200)
    let list = String(decoding: try JSONEncoder().encode(declarations), as: UTF8.self)
    let opened = try browser.open(
      page(),
      script: """
        const count = (rules) => [...rules].reduce(
          (sum, rule) => sum + 1 + (rule.cssRules ? count(rule.cssRules) : 0), 0);
        const unknown = \(list).filter(([name, value]) => !CSS.supports(name, value));
        return { count: count(document.styleSheets[0].cssRules), unknown };
        """)
    struct Answer: Decodable {
      let count: Int
      let unknown: [[String]]
    }
    let answer = try opened.answer(Answer.self)
    XCTAssertEqual(answer.unknown, [])
    XCTAssertEqual(answer.count, css.count { $0 == "{" })
  }
}
