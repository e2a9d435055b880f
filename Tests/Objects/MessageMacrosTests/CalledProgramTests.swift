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

  func testNamesThatClashAndDeprecatedMethodsGiveNoWarning() throws {
    let program = try Program(self, [weather])
    for version in ["5", "6"] {
      try program.check([0], ["-swift-version", version, "-warnings-as-errors"])
    }
  }
}
#endif
