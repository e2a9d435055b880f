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

  func testASymbolizerThatDoesNotAnswerIsEnded() throws {
    let files = try CompiledFiles(self)
    let program = try files.write("symbolizer", Array("#!/bin/sh\nexec sleep 1000\n".utf8))
    // SAFETY: no other thread reads the environment meanwhile; the symbol is only looked up.
    unsafe setenv("BLOCKRUNTIME_SYMBOLIZER", program, 1)
    defer { unsafe unsetenv("BLOCKRUNTIME_SYMBOLIZER") }
    let symbol = try XCTUnwrap(unsafe CodeSymbol(at: Self.addressOfTheStandardLibrary))
    let symbolizer = try Symbolizer(seconds: 1)
    XCTAssertThrowsError(try symbolizer.locations(of: symbol.place)) { error in
      let message = (error as? SourceLocationError)?.message ?? ""
      XCTAssertTrue(message.contains("it took too long"), message)
    }
  }

  func testALibraryWhoseFileWasReplacedHasNoLocation() throws {
    let files = try CompiledFiles(self)
    func compile(_ name: String, _ source: String) throws -> String {
      try files.compile(name, ["-g", "-shared", "-fPIC", "-Wl,--build-id"], source: source)
    }
    let path = try compile("library.so", "int answer(void) { return 42; }")
    let other = try compile("other.so", "\nint answer(void) { return 42; }")
    // SAFETY: the library stays loaded while the address of its function is used.
    let library = try unsafe XCTUnwrap(dlopen(path, RTLD_NOW))
    defer { unsafe dlclose(library) }
    let symbol = try unsafe XCTUnwrap(
      dlsym(library, "answer").flatMap { unsafe CodeSymbol(at: $0) })
    XCTAssertEqual(try symbol.location()?.line, 1)
    XCTAssertEqual(unsafe rename(other, path), 0)
    XCTAssertNil(try symbol.location())
  }

  func testAFileNameWithAnEmptyLineSpoilsNoOtherAnswer() throws {
    let files = try CompiledFiles(self)
    let source = """
      #line 5 "a\\n\\nb.c"
      int odd(void) { return 1; }
      #line 100 "c.c"
      int even(void) { return 2; }
      """
    let path = try files.compile("library.so", ["-g", "-shared", "-fPIC"], source: source)
    let symbols = try ["odd", "even", "odd", "even"].map { try symbol($0, inLibrary: path) }
    XCTAssertEqual(try symbols.locations().map { $0?.line }, [nil, 100, nil, 100])
  }

  func testAPathThatTheSymbolizerCannotReadIsNotAsked() throws {
    let files = try CompiledFiles(self)
    let path = try files.compile(
      "library.so", ["-g", "-shared", "-fPIC"], source: "int answer(void) { return 42; }")
    let folder =
      files.directory + String(repeating: "/" + String(repeating: "a", count: 250), count: 3)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The symbolizer reads 1023 bytes at once: these end within the address.
    let far = folder + "/" + String(repeating: "b", count: 1020 - folder.utf8.count - 1)
    try FileManager.default.copyItem(atPath: path, toPath: far)
    let place = try symbol("answer", inLibrary: path).place
    let symbolizer = try Symbolizer(seconds: 10)
    XCTAssertEqual(
      try symbolizer.locations(
        of: CodePlace(file: far, address: place.address, buildID: place.buildID)), [])
    XCTAssertEqual(try symbolizer.locations(of: place).map(\.line), [1])
  }

  func testAFunctionIsNotNamedByAnotherFileThatTookThePath() throws {
    let files = try CompiledFiles(self)
    func compile(_ name: String, _ function: String) throws -> String {
      try files.compile(
        name, ["-shared", "-fPIC", "-Wl,--build-id"],
        source: "static int \(function)(void) { return 42; } int (*pointer)(void) = \(function);")
    }
    let path = try compile("library.so", "hidden")
    let other = try compile("other.so", "another")
    // SAFETY: the library stays loaded while the address of its function is used; the variable is a
    // pointer.
    let library = try unsafe XCTUnwrap(dlopen(path, RTLD_NOW))
    defer { unsafe dlclose(library) }
    let function = try unsafe XCTUnwrap(
      dlsym(library, "pointer")?.load(as: UnsafeRawPointer?.self))
    XCTAssertEqual(unsafe CodeSymbol(at: function)?.mangledName, "hidden")
    XCTAssertEqual(unsafe rename(other, path), 0)
    XCTAssertNil(unsafe CodeSymbol(at: function)?.mangledName)
  }

  private func symbol(_ name: String, inLibrary path: String) throws -> CodeSymbol {
    // SAFETY: the library is loaded while the address of its function is looked up.
    let library = try unsafe XCTUnwrap(dlopen(path, RTLD_NOW))
    defer { unsafe dlclose(library) }
    let address = try unsafe XCTUnwrap(dlsym(library, name))
    return try XCTUnwrap(unsafe CodeSymbol(at: address))
  }
}
