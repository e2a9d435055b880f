#if Macros
import Foundation
import TestSupport
import XCTest

/// A program runs, and its functions are replaced.
final class ReloadTests: XCTestCase {
  private static let code = #"""
    public final class Prices {
      var base = 10
      public init() {}
      public func price(_ n: Int) -> Int { base * n + tax(n) }
      private func tax(_ n: Int) -> Int { n }
      public func factorial(_ n: Int) -> Int { n < 2 ? 1 : n * factorial(n - 1) }
      private struct Row { func text() -> String { "row" } }
      public var summary: String { Row().text() }
      public static func all() -> [Int] { [1, 2].map { $0 } }
    }
    public struct Cart {
      var items = 3
      public init() {}
      public mutating func add(_ n: Int) -> Int { items += n; return items }
    }
    public func greeting(_ name: String) throws -> String { "Hello \(name)" }
    public actor Desk {
      var served = 0
      public init() {}
      public func serve() async -> Int { served += 1; return served * 0 }
    }
    public struct Box<Value: Sendable> {
      let value: Value
      public init(_ value: Value) { self.value = value }
      public func show<Other>(_ other: Other) -> String { "\(value) \(other)" }
    }

    """#

  private static let program = #"""
    import Glibc
    import Shop
    func line(_ desk: Desk, _ prices: Prices) async throws -> String {
      var cart = Cart()
      return "\(prices.price(2)) \(prices.factorial(4)) \(prices.summary) \(Prices.all()) \(cart.add(1)) "
        + "\(try greeting("you")) \(await desk.serve()) \(Box(1).show("x"))"
    }
    let (desk, prices) = (Desk(), Prices())
    while readLine() != nil {
      print(try await line(desk, prices), told.load(ordering: .relaxed))
      fflush(nil)
    }

    """#

  private static let telling = #"""
    import Synchronization
    let told = Atomic(0)
    @_cdecl("blockRuntimeDidReload") func didReload() { told.add(1, ordering: .relaxed) }

    """#

  private var directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("reloaded-\(UUID().uuidString)")
  private let process = Process()
  private let (input, output, messages) = (Pipe(), Pipe(), Pipe())

  override func setUpWithError() throws {
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(name: "shop", targets: [
        .target(name: "Shop"), .executableTarget(name: "App", dependencies: ["Shop"]),
      ])
      """
    try write(manifest, "Package.swift")
    try write(Self.code, "Sources/Shop/Shop.swift")
    try write(Self.program, "Sources/App/main.swift")
    try write(Self.telling, "Sources/App/Telling.swift")
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("hot-reload")
    process.arguments = ["--package", directory.path, "--", "App"]
    (process.standardInput, process.standardOutput, process.standardError) = (
      input, output, messages
    )
    try process.run()
    XCTAssertTrue(try message().hasPrefix("reload: building"))
    XCTAssertEqual(try message(), "reload: watching 3 files")
  }

  override func tearDown() {
    defer { try? FileManager.default.removeItem(at: directory) }
    guard process.processIdentifier != 0 else { return }
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  private func write(_ text: String, _ file: String) throws {
    let url = directory.appendingPathComponent(file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  private func change(_ changes: [(String, String)]) throws {
    var code = Self.code
    for (old, new) in changes {
      XCTAssertTrue(code.contains(old), old)
      code = code.replacing(old, with: new)
    }
    try write(code, "Sources/Shop/Shop.swift")
  }

  /// Waits for the next line that the reload says.
  private func message() throws -> String { try line(messages) }

  /// What the program answers now.
  private func answer() throws -> String {
    input.fileHandleForWriting.write(Data("\n".utf8))
    return try line(output)
  }

  private func line(_ pipe: Pipe) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw CocoaError(.fileReadUnknown)
  }

  func testBodiesAreReplacedWhileTheProgramRunsAndItsStateSurvives() throws {
    let built = "22 24 row [1, 2] 4 Hello you 0 1 x"
    XCTAssertEqual(try answer(), "\(built) 0")
    try change([
      ("base * n + tax(n)", "base * n * 100 + tax(n)"), ("{ n }", "{ n + helper() }"),
      ("n * factorial", "1 + factorial"), ("{ \"row\" }", "{ \"ROW\" }"),
      ("Row().text()", "Row().text() + \"!\""), ("map { $0 }", "map { -$0 }"),
      ("items += n;", "items += n * 10;"), ("\"Hello", "\"Servus"),
      ("return served * 0", "return served"),
      ("{ \"\\(value) \\(other)", "{ \"box \\(value) \\(other)"),
      (
        "public init() {}\n  public func price",
        "public init() {}\n  func helper() -> Int { 5 }\n  public func price"
      ),
    ])
    let replaced = try message()
    for name in [
      "Prices.price(_:)", "Prices.tax(_:)", "Prices.factorial(_:)", "Prices.Row.text()",
      "Prices.summary", "Prices.all()", "Cart.add(_:)", "greeting(_:)", "Desk.serve()",
      "Box.show(_:)", "Prices.helper() (new)",
    ] { XCTAssertTrue(replaced.contains(name), "\(name): \(replaced)") }
    // The desk had served once.
    XCTAssertEqual(try answer(), "2007 4 ROW! [-1, -2] 13 Servus you 2 box 1 x 1")

    try change([("{ n }", "{ \"text\" }")])
    let error = try message()
    XCTAssertTrue(error.contains("Shop.swift:5:"), error)
    XCTAssertTrue(error.contains("String"), error)
    while try !message().contains("#sourceLocation()") {}
    XCTAssertEqual(try answer(), "2007 4 ROW! [-1, -2] 13 Servus you 3 box 1 x 1")

    try change([("var base = 10", "var base = 10; var other = 1")])
    XCTAssertTrue(try message().contains("Shop.swift: not replaced"))
    XCTAssertTrue(try message().contains("stored property Prices.other is new"))

    try change([])
    XCTAssertTrue(try message().contains("replaced in"))
    XCTAssertEqual(try answer(), "\(built) 2")
  }

  func testFunctionsAreReplacedOftenInARow() throws {
    for round in 1...shortened(100) {
      try change([("\"Hello", "\"Hello \(round)")])
      XCTAssertTrue(try message().contains("greeting(_:)"))
      XCTAssertTrue(try answer().contains("Hello \(round) you"))
    }
  }
}
#endif
