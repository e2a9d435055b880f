import Foundation
import TestSupport
import XCTest

/// The files that `Scripts/generate` writes.
final class GeneratedFilesTests: XCTestCase {
  func testTheyAreAsTheirGeneratorWritesThem() throws {
    try XCTSkipIf(isSanitized || isEmulated, "the files are the same there")
    let outcome = try CommandLineTool.run(
      ["--check"], executable: PackageFiles.root.appendingPathComponent("Scripts/generate"))
    XCTAssertEqual([outcome.errors, "\(outcome.status)"], ["", "0"])
  }
}
