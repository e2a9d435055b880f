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
    public struct Order: Equatable {
      public enum Kind { case sale, gift }
      static func fee(_ kind: Kind) -> Int { kind == .sale ? 7 : 0 }
      public struct Row: Equatable {
        let kind: Kind
        public init(_ kind: Kind) { self.kind = kind }
        public func fee(twice: Bool) -> Int { twice ? 2 : fee(kind) }
        public static func == (left: Row, right: Row) -> Bool { true }
        func fee(_ kind: Kind) -> Int { Order.fee(kind) }
        public func sum(with other: Row) -> Int { total([kind, other.kind]) }
      }
      static func total(_ kinds: [Kind]) -> Int { kinds.count }
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
        + "\(try greeting("you")) \(await desk.serve()) \(Box(1).show("x")) "
        + "\(Order.Row(.sale) == Order.Row(.gift)) \(Order.Row(.gift).sum(with: Order.Row(.sale)))"
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

  private var run: ReloadRun!

  override func setUpWithError() throws {
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(name: "shop", targets: [
        .target(name: "Shop"), .executableTarget(name: "App", dependencies: ["Shop"]),
      ])
      """
    run = try ReloadRun(
      [
        "Package.swift": manifest, "Sources/Shop/Shop.swift": Self.code,
        "Sources/App/main.swift": Self.program, "Sources/App/Telling.swift": Self.telling,
      ], "App")
  }

  override func tearDown() {
    run?.end()
    run = nil
  }

  private func change(_ changes: [(String, String)]) throws {
    var code = Self.code
    for (old, new) in changes {
      XCTAssertTrue(code.contains(old), old)
      code = code.replacing(old, with: new)
    }
    try run.write(code, "Sources/Shop/Shop.swift")
  }

  private func message() throws -> String { try run.message() }

  /// What the program answers now.
  private func answer() throws -> String {
    run.input.fileHandleForWriting.write(Data("\n".utf8))
    return try run.line()
  }

  func testBodiesAreReplacedWhileTheProgramRunsAndItsStateSurvives() throws {
    let built = "22 24 row [1, 2] 4 Hello you 0 1 x true 2"
    XCTAssertEqual(try answer(), "\(built) 0")
    try change([
      ("base * n + tax(n)", "base * n * 100 + tax(n)"), ("{ n }", "{ n + helper() }"),
      ("n * factorial", "1 + factorial"), ("{ \"row\" }", "{ \"ROW\" }"),
      ("Row().text()", "Row().text() + \"!\""), ("map { $0 }", "map { -$0 }"),
      ("items += n;", "items += n * 10;"), ("\"Hello", "\"Servus"),
      ("return served * 0", "return served"), ("Bool { true }", "Bool { left.kind == right.kind }"),
      ("{ total([", "{ 10 * total(["),
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
      "Box.show(_:)", "Order.Row.==(_:_:)", "Order.Row.sum(with:)", "Prices.helper() (new)",
    ] { XCTAssertTrue(replaced.contains(name), "\(name): \(replaced)") }
    // The desk had served once.
    XCTAssertEqual(try answer(), "2007 4 ROW! [-1, -2] 13 Servus you 2 box 1 x false 20 1")

    try change([("{ n }", "{ \"text\" }")])
    let error = try message()
    XCTAssertTrue(error.contains("Shop.swift:5:39: error"), error)
    XCTAssertTrue(error.contains("String"), error)
    while try message() != "reload: nothing is replaced until this compiles" {}
    XCTAssertEqual(try answer(), "2007 4 ROW! [-1, -2] 13 Servus you 3 box 1 x false 20 1")

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
