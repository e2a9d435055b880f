#if Macros
import XCTest

/// Programs in several files: what the macros write does not depend on which of them the compiler sees first.
final class OrderOfFilesTests: XCTestCase {
  private let messages = """
    import MessageMacros
    @Messages final class Weather { func degrees(_ city: String) -> Double { 20 } }
    @Messages class Base { func name() -> String { "base" } }
    """
  private let inheriting = """
    import MessageMacros
    @Messages final class Forecast: Base { func outlook(_ day: Int) -> String { "" } }
    @Messages class Middle: Base {}
    @Messages final class Last: Middle, CustomStringConvertible { var description: String { "" } }
    @Messages final class Named: CustomStringConvertible { var description: String { "" } }
    """
  private let forwarding = """
    import MessageMacros
    @Forwarding protocol Pages: AnyObject { func didLoad(_ count: Int) }
    @Forwarding protocol Books: Pages { func didOpen() -> Bool }
    """
  private let using = """
    import MessageMacros
    func use() throws {
      try Weather.hook(\\.degrees) { original, _, city in try original(city) + 1 }
      try Weather.target("degrees:").hook(.before) { call in _ = call.arguments }
      _ = try Weather().send(\\.degrees, "Oslo")
      _ = (Forecast.classObject, Weather.classObject)
      _ = (try Forecast().send(\\.name), try Forecast().send(Forecast.Messages().outlook, 3))
      _ = (try Last().send(\\.name), try Named().send(\\.description))
      let books = Library()
      books.add { $0.didOpen = { true }; $0.didLoad = { _ in } }
      books.didLoad(3)
    }
    final class Library: BooksForwarding { let targets = Targets() }
    final class Shelf: PagesForwarding { let targets = Targets() }
    """

  func testAMacrosCodeDoesNotDependOnTheOrderOfFiles() throws {
    let program = try Program(self, [messages, inheriting, forwarding, using])
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
      try program.check(order)
      try program.check(order, ["-wmo"])
    }
  }

  func testOnlyTheUsingFileIsCompiledAgain() throws {
    let program = try Program(self, [messages, inheriting, forwarding, using])
    for primary in 0..<4 { try program.check([3, 1, 0, 2], primary: primary) }
  }

  func testTheOptimiserCompilesWhatTheMacrosWrite() throws {
    let program = try Program(self, [messages, inheriting, forwarding, using])
    try program.check([3, 2, 1, 0], ["-O", "-wmo", "-parse-as-library"], kind: "-c")
  }

  func testAProtocolThatIsTakenForASuperclassHasARemedy() throws {
    let program = try Program(
      self,
      [
        """
        import MessageMacros
        protocol Named {}
        @Messages class City: Named {}
        """
      ])
    XCTAssertThrowsError(try program.check([0])) {
      let text = String(describing: $0)
      XCTAssertTrue(text.contains("does not override any property"), text)
      XCTAssertTrue(
        text.contains("If Named is no class with messages, write TypedMessageReceiver after it."),
        text)
    }
  }

  func testAClassThatSaysThatItIsAReceiverInheritsNoMessages() throws {
    let program = try Program(
      self,
      [
        """
        import MessageMacros
        protocol Named {}
        class Plain {}
        @Messages class City: Named, TypedMessageReceiver {}
        @Messages class Town: Plain, MessageForwarding.MessageReceiver {}
        class Hand: MessageReceiver {
          class var methods: MethodTable { MethodTable(Hand.self) {} }
        }
        @Messages class Village: Hand { func size() -> Int { 3 } }
        """
      ])
    try program.check([0])
  }

  func testSwiftFiveHasNoWarningInWhatTheMacrosWrite() throws {
    let program = try Program(
      self,
      [
        messages, inheriting, forwarding,
        """
        import MessageMacros
        @MainActor @Messages class Panel {
          func draw(_ number: Int) -> Int { number }
          func wait() async -> Int { 3 }
          nonisolated func size() -> Int { 3 }
        }
        @Messages class Loader: @unchecked Sendable {
          func load(_ path: String) async throws -> Int { 3 }
          func take(_ done: @escaping (Int) -> Void) throws {}
        }
        """,
      ])
    try program.check([0, 1, 2, 3], ["-swift-version", "5", "-warnings-as-errors"])
  }

  func testMethodsAreIsolatedToTheMainActorByDefault() throws {
    let program = try Program(
      self,
      [
        """
        import MessageMacros
        @Messages final class Store { func increase() {} }
        @Messages class Base {
          init() {}
          func name() -> String { "" }
        }
        @Messages final class Sub: Base {
          override init() { super.init() }
          func more(_ number: Int) {}
        }
        """
      ])
    try program.check([0], ["-default-isolation", "MainActor"])
  }
}
#endif
