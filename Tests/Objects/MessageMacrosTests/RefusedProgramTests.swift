#if Macros
import XCTest

/// Programs that the compiler refuses, and says why.
final class RefusedProgramTests: XCTestCase {
  func testAReferenceToAMethodWithMoreThanEightArgumentsIsRefused() throws {
    for count in [8, 9, 16] {
      let parameters = (1..<count).map { "_ a\($0): Int" }.joined(separator: ", ")
      let source = """
        import MessageMacros
        class Box: MessageReceiver, @unchecked Sendable {
          func take(\(parameters), done: ((Int) -> Int)?) {}
          func wait(\(parameters), done: (@Sendable (Int) -> Int)?) async {}
          @MainActor func show(\(parameters), done: ((Int) -> Int)?) {}
          class var methods: MethodTable {
            MethodTable(Box.self) {
              Method("\(String(repeating: ":", count: count))", Box.NAME)
            }
          }
        }
        """
      for name in ["take", "wait", "show"] {
        let program = try Program(
          self, [source.replacing("Box.NAME", with: "Box.\(name)")])
        if count == 8 {
          try program.check([0], ["-parse-as-library"], kind: "-c")
          continue
        }
        XCTAssertThrowsError(try program.check([0], ["-parse-as-library"], kind: "-c")) {
          let text = String(describing: $0)
          XCTAssertTrue(text.contains("at most eight arguments: list a closure"), text)
          XCTAssertFalse(text.contains("Stack dump"), text)
        }
      }
    }
  }

  func testFunctionsThatTakeFunctionsAreMethodsOfUpToEightArguments() throws {
    for count in 1...8 {
      let types = String(repeating: "Int, ", count: count - 1) + "((Int) -> Int)?"
      let colons = String(repeating: ":", count: count)
      let source = """
        import MessageMacros
        final class Box: MessageReceiver, Sendable {
          static var methods: MethodTable { MethodTable(Box.self) }
        }
        func list(_ f: @escaping @Sendable (Box, \(types)) -> Int) -> Method {
          Method("\(colons)", body: f)
        }
        func implement(_ delegate: DynamicDelegate, _ f: @escaping @Sendable (\(types)) -> Int) throws {
          try delegate.implement("\(colons)", f)
        }
        """
      try Program(self, [source]).check([0], ["-parse-as-library"], kind: "-c")
    }
  }

  func testASubclassOfAForwarderOfAnotherProtocolIsToldToBeAForwarderOfItsOwn() throws {
    let protocols = """
      import MessageMacros
      @Forwarding protocol Scrolling: AnyObject { func didScroll() }
      @Forwarding protocol Selecting: Scrolling { func didSelect(_ row: Int) }
      @Forwarding protocol Marking: Selecting {}
      class Scrollers: ScrollingForwarding { let targets = Targets(); required init() {} }

      """
    let right = """
      final class Selectors: SelectingForwarding { let targets = Targets() }
      final class Markers: MarkingForwarding { let targets = Targets() }
      final class Plain: SelectingForwarded, Forwarder {
        let targets = ForwardingTargets<SelectingRequirements>()
      }
      """
    try Program(self, [protocols + right]).check([0])
    for (wrong, right) in [
      ("SelectingForwarded", "SelectingForwarding"), ("SelectingForwarding", "SelectingForwarding"),
      ("MarkingForwarded", "MarkingForwarding"),
    ] {
      let program = try Program(self, [protocols + "class Selectors: Scrollers, \(wrong) {}"])
      XCTAssertThrowsError(try program.check([0]), wrong) {
        let text = String(describing: $0)
        XCTAssertTrue(
          text.contains("class of its own that conforms to \(right)"), "\(wrong): \(text)")
      }
    }
  }
}
#endif
