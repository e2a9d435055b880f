import Foundation
import TestSupport
import XCTest

/// What a program gets that links the library, and nothing else.
final class ProductTests: XCTestCase {
  /// Where the build's products lie.
  private let products = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent()

  private func output(
    of program: URL, _ arguments: [String] = []
  ) throws -> (text: String, status: Int32) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  /// Under ThreadSanitizer the program's status is another, and its output the reports.
  func testThreadsOfAProgramShareTheLibraryWithoutARace() throws {
    let (text, status) = try output(of: products.appendingPathComponent("ContendedProgram"))
    XCTAssertEqual(text.prefix(4_000), "done\n")
    XCTAssertEqual(status, 0)
  }

  /// The names of symbols that `nm` finds.
  private func symbols(_ arguments: [String]) throws -> Set<Substring> {
    let nm = URL(fileURLWithPath: try ((try? Compiler("llvm-nm")) ?? Compiler("nm")).path)
    let (text, status) = try output(of: nm, ["--format=just-symbols", "--quiet"] + arguments)
    XCTAssertEqual(status, 0, text)
    return Set(text.split(separator: "\n"))
  }

  /// A program that is linked statically with the standard library would have two.
  func testNoObjectDefinesASymbolOfTheToolchainsLibraries() throws {
    try XCTSkipIf(isSanitized, "objects are the same without a sanitizer")
    let toolchain = URL(fileURLWithPath: try Compiler("swiftc").path)
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("lib/swift/linux")
    let libraries = [
      "swiftCore", "swiftSynchronization", "swift_Concurrency", "dispatch", "BlocksRuntime",
    ]
    .map { toolchain.appendingPathComponent("lib\($0).so").path }
    let theirs = try symbols(["--dynamic", "--defined-only"] + libraries)
    XCTAssertGreaterThan(theirs.count, 10_000)

    let modules = PackageFiles.folders.keys.filter {
      FileManager.default.fileExists(atPath: products.appendingPathComponent("\($0).build").path)
    }
    XCTAssertGreaterThan(modules.count, 10)
    for module in modules {
      let folder = products.appendingPathComponent("\(module).build")
      let objects =
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".o") }.map { folder.appendingPathComponent($0).path }
      // Weak ones are the compiler's own copies of what is inlined: linkers take either.
      let ours = try symbols(["--defined-only", "--extern-only", "--no-weak"] + objects)
      // The preloaded tracer takes the runtime's place where calls of Swift functions are counted.
      let replaced: Set<Substring> =
        module == "CBlockTracer" ? ["swift_getFunctionReplacement"] : []
      XCTAssertEqual(ours.intersection(theirs), replaced, module)
    }
  }
}
