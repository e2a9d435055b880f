#if arch(arm64)
import Foundation
import TestSupport
import XCTest

/// An AArch64 compiler makes atomic operations as instructions of ARMv8.1, as loops, or as calls of
/// functions that choose when they run (`-moutline-atomics`), and distributions differ in which.
final class OutlineAtomicsTests: XCTestCase {
  func testTheCTargetsCompileWithAndWithoutOutlineAtomics() throws {
    let targets = PackageFiles.folders.values
      .map { PackageFiles.root.appendingPathComponent($0).path }
      .filter { FileManager.default.fileExists(atPath: "\($0)/include") }
    let headers = targets.flatMap { ["-I", "\($0)/include"] }
    let files = targets.flatMap { target in
      (FileManager.default.enumerator(atPath: target)?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".c") || $0.hasSuffix(".S") }.map { "\(target)/\($0)" }
    }
    XCTAssertGreaterThan(files.count, 30)
    let options = ["-c", "-o", "/dev/null", "-fblocks", "-O1"] + headers
    for choice in ["-moutline-atomics", "-mno-outline-atomics", "-march=armv8.1-a"] {
      for file in files {
        XCTAssertNoThrow(try Compiler().run(options + [choice, file]), "\(choice), \(file)")
      }
    }
  }
}
#endif
