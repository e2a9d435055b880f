#if Everything
import Foundation
import TestSupport
import XCTest

final class HostileBatchTests: XCTestCase {
  func testEveryMutatedLineIsAnsweredByOneLine() throws {
    let arguments = ["[]", "[1]", "[null]", "[[1,2]]", "[{\"buffer\":[1]}]", "[\"x\", 2.5]", "{}"]
    var lines: [String] = []
    for (index, signature) in MutatedSignatures(count: 400, seed: 11).enumerated() {
      let text = String(decoding: try JSONEncoder().encode([signature]), as: UTF8.self)
      let list = arguments[index % arguments.count]
      lines.append(
        "{\"symbol\":\"getpid\",\"signature\":\(text.dropFirst().dropLast()),\"arguments\":\(list)}"
      )
    }
    let run = try CommandLineTool.run(
      ["call", "--batch", "-"], input: lines.joined(separator: "\n"))
    let answers = run.output.split(separator: "\n")
    XCTAssertEqual(answers.count, lines.count)
    XCTAssertEqual(run.status, 1)
    for answer in answers {
      XCTAssertNoThrow(
        try JSONSerialization.jsonObject(with: Data(answer.utf8)), String(answer))
    }
  }
}
#endif
