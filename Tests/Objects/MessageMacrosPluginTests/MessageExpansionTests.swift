#if Macros
import XCTest

/// What `@Messages` writes.
final class MessageExpansionTests: XCTestCase {
  func testAClassHasATableAndTypedSelectors() {
    XCTAssertEqual(
      ExpandedSource(
        """
        @Messages
        class Weather: Sendable, MessageReceiver {
          var unit = "C"
          private(set) var calls: Int?
          func degrees(_ city: String) throws -> Double { 3 }
          @Named("pick") @SentAs("choose:") func take(_ number: Int!) {}
          func add(_ number: Int, to other: Double) {}
          func add(_ number: Int) {}
          func load(_ path: String, then done: @escaping @Sendable (Int) -> Void) async -> Int { 3 }
          class func units() -> Int { 3 }
          static func convert(_ degrees: Double, from unit: String) throws -> Double { 3 }
          private func hidden() {}
          @NotSent func secret() {}
        }
        """
      ).text,
      """

      class Weather: Sendable, MessageReceiver {
        var unit = "C"
        private(set) var calls: Int?
        func degrees(_ city: String) throws -> Double { 3 }
        func take(_ number: Int!) {}
        func add(_ number: Int, to other: Double) {}
        func add(_ number: Int) {}
        func load(_ path: String, then done: @escaping @Sendable (Int) -> Void) async -> Int { 3 }
        class func units() -> Int { 3 }
        static func convert(_ degrees: Double, from unit: String) throws -> Double { 3 }
        private func hidden() {}
        func secret() {}

        class var methods: MessageForwarding.MethodTable {
          MessageForwarding.MethodTable(Weather.self) {
            MessageForwarding.Method.property("unit", \\Weather.unit)
            MessageForwarding.Method("calls") { (receiver: Weather) in
              receiver.calls
            }
            MessageForwarding.TypedSelector1<Weather, String, Double>.method("degrees:") {
              $0.degrees(_:)
            }
            MessageForwarding.TypedSelector1<Weather, Int?, Void>.method("choose:") {
              $0.take(_:)
            }
            MessageForwarding.TypedSelector2<Weather, Int, Double, Void>.method("add:to:") {
              $0.add(_:to:)
            }
            MessageForwarding.TypedSelector1<Weather, Int, Void>.method("add:") {
              $0.add(_:)
            }
            MessageForwarding.Method("load:then:", {
                $0.load(_:then:)
              } as @Sendable (Weather) -> (String, @escaping @Sendable (Int) -> Void) async -> Int)
            MessageForwarding.Method("units") { (receiver: MessageForwarding.ClassObject) in
              ((receiver.swiftClass as? Weather.Type) ?? Weather.self).units()
            } .ofClass()
            MessageForwarding.Method("convert:from:") { (_: MessageForwarding.ClassObject, argument0: Double, argument1: String) in
              try Weather.convert(argument0, from: argument1)
            } .ofClass()
          }
        }

        /// The typed selectors of Weather's methods.
        struct Messages: MessageForwarding.MessageNames {
          var unit: MessageForwarding.TypedSelector0<Weather, String> {
            .init("unit")
          }
          var setUnit: MessageForwarding.TypedSelector1<Weather, String, Void> {
            .init("setUnit:")
          }
          var calls: MessageForwarding.TypedSelector0<Weather, Int?> {
            .init("calls")
          }
          var degrees: MessageForwarding.TypedSelector1<Weather, String, Double> {
            .init("degrees:")
          }
          var pick: MessageForwarding.TypedSelector1<Weather, Int?, Void> {
            .init("choose:")
          }
          var addTo: MessageForwarding.TypedSelector2<Weather, Int, Double, Void> {
            .init("add:to:")
          }
          var add: MessageForwarding.TypedSelector1<Weather, Int, Void> {
            .init("add:")
          }
          var loadThen: MessageForwarding.AsyncTypedSelector2<Weather, String, @Sendable (Int) -> Void, Int> {
            .init("load:then:")
          }
          var units: MessageForwarding.TypedSelector0<MessageForwarding.ClassObject, Int> {
            .init("units")
          }
          var convertFrom: MessageForwarding.TypedSelector2<MessageForwarding.ClassObject, Double, String, Double> {
            .init("convert:from:")
          }
          init() {
          }
        }
      }
      """)
  }

  func testTheMethodsOfAnActorRunOnIt() {
    XCTAssertEqual(
      ExpandedSource(
        """
        @Messages
        public actor Counter: MessageReceiver {
          var count = 0
          public private(set) var total: Int
          nonisolated let name = "counter"
          public func add(_ number: Int, to other: String) throws -> Int { 3 }
          func wait() async {}
          nonisolated func size() -> Int { 3 }
          @MainActor func draw() {}
          static func units() -> Int { 3 }
          private func hidden() {}
        }
        """
      ).text,
      """

      public actor Counter: MessageReceiver {
        var count = 0
        public private(set) var total: Int
        nonisolated let name = "counter"
        public func add(_ number: Int, to other: String) throws -> Int { 3 }
        func wait() async {}
        nonisolated func size() -> Int { 3 }
        @MainActor func draw() {}
        static func units() -> Int { 3 }
        private func hidden() {}

        public static var methods: MessageForwarding.MethodTable {
          MessageForwarding.MethodTable(Counter.self) {
            MessageForwarding.Method("count") { (receiver: isolated Counter) in
              receiver.count
            }
            MessageForwarding.Method("setCount:") { (receiver: isolated Counter, argument0: Int) in
              receiver.count = argument0
            }
            MessageForwarding.Method("total") { (receiver: isolated Counter) in
              receiver.total
            }
            MessageForwarding.Method("name") { (receiver: Counter) in
              receiver.name
            }
            MessageForwarding.Method("add:to:") { (receiver: isolated Counter, argument0: Int, argument1: String) in
              try receiver.add(argument0, to: argument1)
            }
            MessageForwarding.Method("wait") { (receiver: isolated Counter) in
              await receiver.wait()
            }
            MessageForwarding.TypedSelector0<Counter, Int>.method("size") {
              $0.size
            }
            MessageForwarding.Method("draw", {
                $0.draw
              } as @Sendable (Counter) -> @MainActor () -> Void).isolated(to: MainActor.shared)
            MessageForwarding.Method("units") { (_: MessageForwarding.ClassObject) in
              Counter.units()
            } .ofClass()
          }
        }

        /// The typed selectors of Counter's methods.
        public struct Messages: MessageForwarding.MessageNames {
          var count: MessageForwarding.AsyncTypedSelector0<Counter, Int> {
            .init("count")
          }
          var setCount: MessageForwarding.AsyncTypedSelector1<Counter, Int, Void> {
            .init("setCount:")
          }
          public var total: MessageForwarding.AsyncTypedSelector0<Counter, Int> {
            .init("total")
          }
          var name: MessageForwarding.TypedSelector0<Counter, String> {
            .init("name")
          }
          public var addTo: MessageForwarding.AsyncTypedSelector2<Counter, Int, String, Int> {
            .init("add:to:")
          }
          var wait: MessageForwarding.AsyncTypedSelector0<Counter, Void> {
            .init("wait")
          }
          var size: MessageForwarding.TypedSelector0<Counter, Int> {
            .init("size")
          }
          var draw: MessageForwarding.TypedSelector0<Counter, Void> {
            MessageMacros.isolatedSelector(.init("draw"))
          }
          var units: MessageForwarding.TypedSelector0<MessageForwarding.ClassObject, Int> {
            .init("units")
          }
          public init() {
          }
        }
      }
      """)
  }

  func testTheSelectorsOfAPublicClassHaveTheAccessOfTheirMethods() {
    XCTAssertEqual(
      ExpandedSource(
        """
        @Messages @MainActor
        public final class Forecast: TypedMessageReceiver {
          public func outlook() -> String { "" }
          nonisolated func size() -> Int { 3 }
          @Other func other() {}
          @OtherActor func another() {}
          func wait() async {}
        }
        """
      ).text,
      """
      @MainActor
      public final class Forecast: TypedMessageReceiver {
        public func outlook() -> String { "" }
        nonisolated func size() -> Int { 3 }
        @Other func other() {}
        @OtherActor func another() {}
        func wait() async {}

        nonisolated public static var methods: MessageForwarding.MethodTable {
          MessageForwarding.MethodTable(Forecast.self) {
            MessageForwarding.Method("outlook", {
                $0.outlook
              } as @Sendable (Forecast) -> @MainActor () -> String).isolated(to: MainActor.shared)
            MessageForwarding.TypedSelector0<Forecast, Int>.method("size") {
              $0.size
            }
            MessageForwarding.Method("other", {
                $0.other
              } as @Sendable (Forecast) -> @MainActor () -> Void).isolated(to: MainActor.shared)
            MessageForwarding.Method("another", {
                $0.another
              } as @Sendable (Forecast) -> @OtherActor () -> Void).isolated(to: OtherActor.shared)
            MessageForwarding.Method("wait", {
                $0.wait
              } as @Sendable (Forecast) -> () async -> Void)
          }
        }

        /// The typed selectors of Forecast's methods.
        public struct Messages: MessageForwarding.MessageNames {
          public var outlook: MessageForwarding.TypedSelector0<Forecast, String> {
            MessageMacros.isolatedSelector(.init("outlook"))
          }
          var size: MessageForwarding.TypedSelector0<Forecast, Int> {
            .init("size")
          }
          var other: MessageForwarding.TypedSelector0<Forecast, Void> {
            MessageMacros.isolatedSelector(.init("other"))
          }
          var another: MessageForwarding.TypedSelector0<Forecast, Void> {
            MessageMacros.isolatedSelector(.init("another"))
          }
          var wait: MessageForwarding.AsyncTypedSelector0<Forecast, Void> {
            .init("wait")
          }
          public init() {
          }
        }
      }
      """)
  }

  func testAMethodWhoseCallsAreMessagesAsksItsSlot() {
    let text = ExpandedSource(
      "@Messages(.calls) class A {\n  func add(_ a: Int, to b: inout Int) throws -> Int { a }\n}"
    ).text
    for part in [
      "nonisolated private enum _Calls {", "static let of_add_1to_1 = MessageForwarding.CallSlot()",
      ".called {", "_Calls.of_add_1to_1.set($0)", "@MessageMacros.HookedCall(\"of_add_1to_1\")",
    ] {
      XCTAssertTrue(text.contains(part), "\(part) is not in\n\(text)")
    }
    let listed = ExpandedSource(
      "@Messages(.calls) class A {\n  func add(_ a: Int, to b: [Int]) throws -> Int { a }\n}"
    ).text
    for part in [
      "MethodTable(A.self, bodies: { bodies in", "unsafe _Calls.of_add_1to_1.list(in: &bodies)",
      "CalledBody<(Int, [Int]), Int, any Swift.Error>(\"add:to:\") {", "A._sent_A_of_add_1to_1",
    ] {
      XCTAssertTrue(listed.contains(part), "\(part) is not in\n\(listed)")
    }
    XCTAssertFalse(ExpandedSource("@Messages class A { func f() {} }").text.contains("Calls"))
  }

  func testATableThatNamesDeprecatedMethodsIsDeprecated() {
    let attribute = "@available(*, deprecated, message: \"It names deprecated methods.\")"
    for member in ["func f() {}", "var a = 3"] {
      let deprecated = ExpandedSource("@Messages class A { @available(*, deprecated) \(member) }")
      XCTAssertTrue(deprecated.text.contains(attribute), deprecated.text)
      XCTAssertFalse(ExpandedSource("@Messages class A { \(member) }").text.contains(attribute))
    }
  }

  func testASubclassOverridesTheTable() {
    for (head, isSubclass) in [
      ("final class Forecast: Weather", true), ("class Forecast: Weather, Sendable", true),
      ("class Forecast: Model.Weather", true), ("class Forecast: Weather, MessageReceiver", false),
      ("class Forecast: MessageForwarding.TypedMessageReceiver", false),
      ("class Forecast: @unchecked Sendable", false),
      ("final class Forecast: Swift.Hashable", false),
      ("class Forecast", false), ("actor Forecast: Sensor", false),
    ] {
      let text = ExpandedSource("@Messages \(head) {}").text
      let superclass = head.contains("Model") ? "Model.Weather" : "Weather"
      XCTAssertEqual(
        text.contains(
          """
            // If \(superclass) is no class with messages, write TypedMessageReceiver after it.
            override class var methods: MessageForwarding.MethodTable {
          """), isSubclass, text)
      XCTAssertEqual(text.contains("override"), isSubclass, text)
    }
  }
}
#endif
