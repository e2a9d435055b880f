// Tests that run in parallel hook one method, each for itself.
import BlockRuntime
import Testing

final class Weather: MessageReceiver, Sendable {
  func degrees(_ city: String) -> Double { 20 }

  func advice() throws -> String {
    try send("degrees:", "Oslo", returning: Double.self) < 0 ? "a coat" : "a hat"
  }

  static var methods: MethodTable {
    MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
  }
}

@Suite(.answering(Weather.target("degrees:"), Double(-3)))
struct WinterTests {
  @Test(arguments: 0..<20)
  func `In winter a coat is advised`(round: Int) async throws {
    for _ in 0..<50 {
      #expect(try Weather().advice() == "a coat")
      await Task.yield()
    }
  }
}

struct WeatherTests {
  @Test(arguments: 0..<20)
  func `Without a hook a hat is advised`(round: Int) async throws {
    for _ in 0..<50 {
      #expect(try Weather().advice() == "a hat")
      await Task.yield()
    }
  }

  @Test(.answering(Weather.target("degrees:"), Double(-30)))
  func `A test may have a hook of its own`() async throws {
    #expect(try await Task { try Weather().advice() }.value == "a coat")
  }
}
