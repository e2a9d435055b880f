import TestSupport
import XCTest

/// The compiler refuses observers that are not `Sendable` of classes that are.
final class RefusedObserverTests: XCTestCase {
  private static let classes = """
    import KeyValueObserving
    final class Shared: KeyValueCoding, @unchecked Sendable {
      @Observed var count = 0
      @Observed var name: String?
      @Observed var others: [Shared] = []
      static var keys: KeyTable { ["count": \\Shared.count] }
    }
    final class Own: KeyValueCoding {
      @Observed var count = 0
      @Observed var name: String?
      @Observed var others: [Own] = []
      @Observed var shared: [Shared] = []
      static var keys: KeyTable { ["count": \\Own.count] }
    }
    final class Tally { var count = 0 }
    @Sendable func tell<Object>(_: Object, _ change: Change<Int>) {}

    """

  /// The bodies of a function with an object and a tally; each observes in another way.
  private static func bodies(_ type: String) -> [String] {
    [
      "let observer: (\(type), Change<Int>) -> Void = { _, _ in tally.count += 1 }\n"
        + "object.observe(\\.count, observer)",
      "let observer: (\(type), Change<Int>) throws -> Void = { _, _ in tally.count += 1 }\n"
        + "let token = object.observe(\\.count, options: [.old, .new], name: \"a\", observer)\n"
        + "token.remove()",
      "let observer: (\(type), Change<String>) -> Void = { _, _ in tally.count += 1 }\n"
        + "object.observe(\\.name, observer)",
      "func observer(_: \(type), _: Change<Int>) { tally.count += 1 }\n"
        + "object.observe(\\.count, observer)",
      "object.observe(\\.count) { _, _ in tally.count += 1 }",
      "object.observe(\\.name) { _, _ in tally.count += 1 }",
      "object.observe([\\.count]) { _, _, _ in tally.count += 1 }",
      "let observer: (\(type), PartialKeyPath<\(type)>, Change<Any>) -> Void = { _, _, _ in "
        + "tally.count += 1 }\nobject.observe([\\.count, \\.name], observer)",
      "object.observeElements(of: \\.others, \\.count) { _, _ in tally.count += 1 }",
      "let observer: (\(type), Change<Int>) -> Void = { _, _ in tally.count += 1 }\n"
        + "object.observeElements(of: \\.others, \\.count, observer)",
      "_ = try? object.observe(keyPath: \"count\") { _, _ in tally.count += 1 }",
      "let observer: (\(type), Change<Any>) -> Void = { _, _ in tally.count += 1 }\n"
        + "_ = try? object.observe(keyPath: \"count\", observer)",
    ]
  }

  func testObserversOfASendableClassMustBeSendable() throws {
    var bodies = Self.bodies("Shared")
    bodies.append("own.observeElements(of: \\.shared, \\.count) { _, _ in tally.count += 1 }")
    bodies.append(
      "let observer: (Shared, Change<Int>) -> Void = { _, _ in tally.count += 1 }\n"
        + "own.observeElements(of: \\.shared, \\.count, observer)")
    var code = Self.classes
    for (index, body) in bodies.enumerated() {
      let awaited = body.replacing("object.obs", with: "await object.obs")
        .replacing("own.obs", with: "await own.obs")
      for (kind, body) in [("", body), ("async", body), ("async ", awaited)] {
        code += "func f\(index)\(kind.count)(_ object: Shared, _ own: Own) \(kind) {\n"
        code += "let tally = Tally()\n\(body)\n}\n"
      }
    }
    let refused = try ClientCode(self).refusedLines(of: code)
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    for (index, line) in lines {
      let isCall = line.contains("object.observe") || line.contains("own.observe")
      XCTAssertEqual(refused.contains(index + 1), isCall, "\(index + 1): \(line)")
    }
  }

  func testOtherObserversAreAccepted() throws {
    let client = try ClientCode(self)
    var code = Self.classes
    for (index, body) in Self.bodies("Own").enumerated() {
      code += "func own\(index)(_ object: Own) {\nlet tally = Tally()\n\(body)\n}\n"
    }
    code += """
      @discardableResult func number() -> Int { 1 }
      struct Failure: Error {}
      func shared(_ object: Shared, _ own: Own, _ observer: @escaping @Sendable (Shared, Change<Int>) -> Void) throws {
        object.observe(\\.count, observer)
        object.observe(\\.count, tell)
        object.observe(\\.count) { object, change in if object.count == 1 { object.count = 2 } }
        object.observe(\\.count) { _, _ in number() }
        object.observe(\\.count) { _, _ in throw Failure() }
        object.observe(\\.count) { print($0, $1) }
        object.observe(\\.count, options: [.old]) { (_: Shared, change: Change<Int>) in print(change) }
        object.observe(\\.name) { _, change in let name: String? = change.new; print(name ?? "") }
        object.observe([\\.count, \\.name]) { _, path, change in print(path, change) }
        object.observeElements(of: \\.others, \\.count) { _, change in print(change) }
        object.observeElements(of: \\.others, \\.count, observer)
        own.observeElements(of: \\.shared, \\.count) { _, change in print(change) }
        own.observeElements(of: \\.shared, \\.count, observer)
        try object.observe(keyPath: "count") { _, change in print(change) }
      }
      // Swift 6.2 takes no `nonisolated` on a property with a wrapper.
      #if compiler(>=6.3)
      @MainActor final class Model: KeyValueObservable {
        @Observed nonisolated(unsafe) var count = 0
        let tally = Tally()
        func observe() {
          isolated(self).observe(\\.count) { [weak self] _, _ in self?.tally.count += 1 }
          observe(\\.count) { _, change in print(change) }
        }
      }
      #endif
      """
    XCTAssertNil(try client.refusal(of: code))
  }
}
