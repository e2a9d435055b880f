#if Macros
import XCTest

/// Programs whose Swift calls are messages: what the macros write compiles wherever it stands.
final class CalledProgramTests: XCTestCase {
  private let weather = """
    import MessageMacros
    @Messages(.calls) class Weather: @unchecked Sendable {
      @available(*, deprecated) func old(_ city: String) -> Double { 3 }
      @available(*, deprecated) static func older(_ number: inout Int) {}
      func degrees(_ city: String) throws -> Double { 20 }
      func load(_ city: String) async -> Double { 20 }
      nonisolated(nonsending) func wait(_ city: String) async throws -> Double { 20 }
      func clash(_ Weather: Int, receiver argument1: inout Int, argument0: Int) { argument1 = Weather }
      static func clash(_ classObject: Int, _ Weather: inout Int, object_argument1: Int) -> Int { Weather }
      func force(_ number: Int!, _ more: Int...) -> Int! { number }
    }
    """

  private let functions = """
    import MessageMacros
    @Hookable public func parse(_ text: String, radix: Int = 10) throws -> Int { 3 }
    @Hookable @available(*, deprecated) func old(_ receiver: inout Int, argument0 function: Int) {}
    @Hookable func fetch(_ city: String) async -> Double { 20 }
    public struct Parser: Sendable {
      @Hookable public mutating func read(_ original: String, _ Parser: Int) -> Int { Parser }
      @Hookable static func make() -> Parser { Parser() }
    }
    extension Parser { @Hookable func end(_ value0: Int) async throws -> Int { value0 } }
    public struct Box<Value: Sendable> {
      @Hookable(.eachType) public mutating func put(_ Value: Value, _ Self: Int) -> Int { Self }
    }
    extension Array { @Hookable(.eachType) @available(*, deprecated) func third() -> Element { self[2] } }
    extension Weather { @Hookable func rain(_ arguments: Int, _ handler: Int) -> Int { arguments } }
    """
  private let subclass = """
    import MessageMacros
    @Messages(.calls) final class Forecast: Weather, @unchecked Sendable {
      override func degrees(_ city: String) throws -> Double { try super.degrees(city) + 1 }
      override func force(_ number: Int!, _ more: Int...) -> Int! { 3 }
    }
    final class Plain: Weather, @unchecked Sendable {}
    """
  private let using = """
    import MessageMacros
    func use() async throws {
      try Weather.hook(\\.degrees) { original, _, city in try original(city) + 1 }
      _ = try (Plain().degrees(""), Forecast().degrees(""), Forecast().send(\\.degrees, ""))
      try $parse.hook { original, text, radix in try original(text, radix) + 1 }
      try $parse.install(.printing())
      _ = try (parse("3"), await fetch("Oslo"), await Parser().end(3))
      try $fetch.hook { original, city in try await original(city) + 1 }
      try Parser.$read.hook { original, parser, text, number in try original(parser, text, number) }
      try Weather.$rain.hook { original, weather, a, b in try original(weather, a, b) }
      _ = Forecast().rain(1, 2)
      try Box<Int>.$put.hook { original, box, value, number in try original(box, value, number) }
    }
    """
  private var files: [String] { [weather, functions, subclass, using] }

  func testWhatTheMacrosWriteDoesNotDependOnTheOrderOfFiles() throws {
    let program = try Program(self, files)
    for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
      try program.check(order)
      try program.check(order, ["-wmo"])
    }
    for primary in 0..<4 { try program.check([3, 1, 0, 2], primary: primary) }
  }

  func testTheOptimiserCompilesWhatTheMacrosWrite() throws {
    try Program(self, files).check([2, 3, 1, 0], ["-O", "-wmo", "-parse-as-library"], kind: "-c")
  }

  func testNamesThatClashAndDeprecatedFunctionsGiveNoWarning() throws {
    let program = try Program(self, [weather, functions, subclass])
    for version in ["5", "6"] {
      try program.check([0, 1, 2], ["-swift-version", version, "-warnings-as-errors"])
    }
  }

  func testAMethodWithoutAVariableOfItsOwnIsToldToBeOneOfEachType() throws {
    for type in ["Array", "Sequence"] {
      let program = try Program(
        self, ["import MessageMacros\nextension \(type) { @Hookable func f() {} }"])
      XCTAssertThrowsError(try program.check([0])) {
        let text = String(describing: $0)
        XCTAssertTrue(text.contains("protocol, write @Hookable(.eachType)"), text)
      }
    }
  }

  func testAFunctionBehindATypealiasIsToldToEscapeOrToBeWritten() throws {
    for function in ["@Hookable func", "@Messages(.calls) class A { func"] {
      for (mark, isRefused) in [("", true), ("@escaping ", false)] {
        let program = try Program(
          self,
          [
            """
            import MessageMacros
            typealias Body = () -> Int
            \(function) f(_ body: \(mark)Body) -> Int { body() }
            \(function.contains("{") ? "}" : "")
            """
          ])
        guard isRefused else {
          try program.check([0])
          continue
        }
        XCTAssertThrowsError(try program.check([0])) {
          let text = String(describing: $0)
          XCTAssertTrue(text.contains("write @escaping or its whole type"), text)
        }
      }
    }
  }

  func testStrictMemorySafetyFindsNothingUnmarked() throws {
    let program = try Program(
      self,
      [
        """
        import MessageMacros
        @Hookable func f(_ body: () throws -> Int, _ n: inout Int) rethrows { n = try body() }
        @Hookable func g(_ body: @Sendable () async -> Int) async -> Int { await body() }
        @Messages(.calls) class A { func f(_ body: @autoclosure () -> Int) -> Int { body() } }
        """
      ])
    try program.check([0], ["-strict-memory-safety", "-warnings-as-errors"])
  }

  func testModulesAreIsolatedToTheMainActorByDefault() throws {
    let program = try Program(
      self,
      [
        """
        import MessageMacros
        @MainActor @Messages(.calls) final class Store {
          func increase(_ number: Int) {}
          func load(_ number: Int) async -> Int { number }
        }
        @Messages(.calls) nonisolated final class Shelf {
          func change(_ number: inout Int) {}
          static func change(_ number: inout Int, by other: Int) {}
        }
        @Hookable @MainActor func parse(_ text: String, radix: Int = 10) throws -> Int { 3 }
        @Hookable @MainActor func fetch(_ city: String) async -> Double { 20 }
        @Hookable nonisolated func change(_ number: inout Int) {}
        struct Parser {
          @Hookable @MainActor mutating func read(_ text: String) -> Int { 3 }
          @Hookable nonisolated static func make() -> Parser { Parser() }
        }
        nonisolated func use() throws {
          try $parse.hook { original, text, radix in try original(text, radix) }
          try Parser.$read.hook { original, parser, text in try original(parser, text) }
        }
        """
      ])
    try program.check([0], ["-default-isolation", "MainActor", "-warnings-as-errors"])
  }
}
#endif
