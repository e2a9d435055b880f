import Foundation
import KeyValueObserving
import SourceLocations
import TestSupport
import XCTest

/// Files and lines of code, by debug information.
final class SourceLocationTests: XCTestCase {
  private final class Session: KeyValueObservable {
    @Observed var user: String?
  }

  override func setUpWithError() throws {
    do {
      _ = try unsafe CodeSymbol(at: #dsohandle)?.location()
    } catch { throw XCTSkip(error.message) }
  }

  func testAChangeIsFoundInItsFileAndLine() throws {
    let session = Session()
    var origin: ChangeOrigin?
    session.observe(\.user, options: .origin) { origin = $1.origin }
    session.user = nil; let line = #line
    let place = try XCTUnwrap(XCTUnwrap(origin?.symbol).location())
    XCTAssertEqual(place.file, #filePath)
    XCTAssertEqual(place.line, line)
    XCTAssertEqual("\(place)", "SourceLocationTests.swift:\(line)")
  }

  func testManySymbolsAreFoundInTheirOrder() throws {
    let session = Session()
    var symbols: [CodeSymbol] = []
    session.observe(\.user, options: .origin) { symbols += $1.origin?.functions.prefix(1) ?? [] }
    session.user = "a"; let first = #line
    session.user = "b"; let second = #line
    let core = try XCTUnwrap(unsafe CodeSymbol(at: Self.addressOfTheStandardLibrary))
    let one = [symbols[0], core, symbols[1]]
    let many = Array(repeating: one, count: 700).flatMap { $0 }
    let places = try many.locations()
    XCTAssertEqual(places.count, many.count)
    for index in stride(from: 0, to: places.count, by: 3) {
      XCTAssertEqual(places[index]?.line, first)
      XCTAssertEqual(places[index + 1]?.line, nil)
      XCTAssertEqual(places[index + 2]?.line, second)
    }
    XCTAssertEqual(try [CodeSymbol]().locations(), [])
  }

  /// The address of code that has no debug information.
  private static var addressOfTheStandardLibrary: UnsafeRawPointer {
    // SAFETY: the symbol is only looked up.
    unsafe UnsafeRawPointer(dlsym(nil, "swift_retain")).unsafelyUnwrapped
  }

  func testAProgramThatIsNoSymbolizerIsRefusedByName() throws {
    // SAFETY: no other thread reads the environment meanwhile.
    defer { unsafe unsetenv("BLOCKRUNTIME_SYMBOLIZER") }
    let symbol = try XCTUnwrap(unsafe CodeSymbol(at: Self.addressOfTheStandardLibrary))
    for (program, reason) in [
      ("/no/such/program", "No such file or directory"), ("/bin/false", "it ended with the state"),
    ] {
      unsafe setenv("BLOCKRUNTIME_SYMBOLIZER", program, 1)
      XCTAssertThrowsError(try symbol.location()) { error in
        let error = error as? SourceLocationError
        XCTAssertEqual(error?.code, .noSymbolizer)
        XCTAssertTrue(error?.message.contains(reason) ?? false, "\(error?.message ?? "")")
        XCTAssertTrue(error?.message.hasPrefix(program) ?? false)
      }
    }
  }

  func testFoldersOfItsNameAndItsOwnSettingsAreNoObstacle() throws {
    let files = try CompiledFiles(self)
    try FileManager.default.createDirectory(
      atPath: "\(files.directory)/llvm-symbolizer", withIntermediateDirectories: false)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // SAFETY: no other thread reads the environment meanwhile.
    unsafe setenv("PATH", "\(files.directory):\(path)", 1)
    unsafe setenv("LLVM_SYMBOLIZER_OPTS", "--output-style=JSON", 1)
    defer {
      unsafe setenv("PATH", path, 1)
      unsafe unsetenv("LLVM_SYMBOLIZER_OPTS")
    }
    try testAChangeIsFoundInItsFileAndLine()
  }
}
