import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import TypeEncodings
import XCTest

final class SendTests: XCTestCase {
  func testAMessageRunsTheMethodOfItsName() throws {
    let shape = Shape()
    XCTAssertEqual(try shape.send("name"), "shape")
    XCTAssertEqual(try shape.send("scale:", Int32(21)), Int32(42))
    try shape.send("moveX:y:", 1.5, 2.5)
    XCTAssertEqual(shape.log.entries, ["move 1.5 2.5"])
  }

  func testAReferenceRunsTheOverride() throws {
    XCTAssertEqual(try Square().send("name"), "square")
    XCTAssertEqual(try Tile().send("name"), "square")
  }

  func testMethodsAreInheritedAndOverridden() throws {
    XCTAssertEqual(try Shape().send("area"), 1.0)
    XCTAssertEqual(try Square().send("area"), 3.0)
    XCTAssertEqual(try Tile().send("area"), 3.0)
    XCTAssertEqual(try Tile().send("side"), Int32(5))
    expectError(.unrecognizedSelector, "no method") { try Shape().send("side") }
  }

  func testArgumentsOfOtherTypesAreConverted() throws {
    let shape = Shape()
    XCTAssertEqual(try shape.send("scale:", 21, returning: Int.self), 42)
    XCTAssertEqual(try shape.send("scale:", UInt8(4), returning: Int64.self), 8)
    XCTAssertEqual(
      try shape.send("blend:with:at:seed:exactly:", 1, 2, 0.5, 4, true), "1 2 0.5 4 true")
    XCTAssertEqual(
      try shape.send(
        "blend:with:at:seed:exactly:", Int8(1), UInt16(2), Float(0.5), Int64(4), true),
      "1 2 0.5 4 true")
  }

  func testTheAnswerMayBeIgnored() throws {
    final class Adder: MessageReceiver {
      var sum: Int32 = 0
      func add(_ number: Int32) -> Int32 {
        sum += number
        return sum
      }
      static var methods: MethodTable { MethodTable(Adder.self) { Method("add:", Adder.add) } }
    }
    let adder = Adder()
    try adder.send("add:", Int32(1))
    try adder.send("add:", 2)
    try adder.send("add:", values: [4])
    XCTAssertEqual(adder.sum, 7)
  }

  func testATableIsListedWithLoopsAndConditions() throws {
    final class Listed: MessageReceiver {
      static let isLong = true
      static var methods: MethodTable {
        MethodTable(Listed.self) {
          for number in 0..<3 { Method(Selector("number\(number)")) { (_: Listed) in number } }
          if isLong { Method("long") { (_: Listed) in "long" } }
          if !isLong {
            Method("which") { (_: Listed) in "short" }
          } else {
            Method("which") { (_: Listed) in "long" }
          }
        }
      }
    }
    XCTAssertEqual(
      Listed.classObject.methodNames, ["long", "number0", "number1", "number2", "which"])
    XCTAssertEqual(try Listed().send("number2"), 2)
    XCTAssertEqual(try Listed().send("which"), "long")
    XCTAssertEqual(
      Listed.classObject.instanceMethodSignature(for: "number0")?.description, "q@:")
    XCTAssertNil(Listed.classObject.instanceMethodSignature(for: "number3"))
  }

  func testWhatDoesNotFitIsRefusedWithTheDifference() {
    let shape = Shape()
    expectError(.argumentCount, "takes 1 argument, 0 are given") {
      try shape.send("scale:")
    }
    expectError(.argumentCount, "takes 1 argument, 2 are given") { try shape.send("scale:", 1, 2) }
    expectError(.argumentCount, "takes 1 argument, 0 are given") {
      try shape.send("scale:", values: [])
    }
    expectError(.typeMismatch, "argument 2") { try shape.send("scale:", "one") }
    expectError(.valueOutOfRange, "argument 2") { try shape.send("scale:", 1 << 40) }
    expectError(.typeMismatch, "result") {
      try shape.send("scale:", 1, returning: String.self)
    }
    expectError(.noResult, "returns nothing") {
      try shape.send("moveX:y:", 1.0, 2.0, returning: Int.self)
    }
    XCTAssertEqual(shape.log.entries, [])
  }

  func testWhatNobodyAnswersIsRefusedWithWhatMayBeMeant() {
    expectError(.unrecognizedSelector, "did you mean name?") { try Shape().send("nmae") }
    expectError(.unrecognizedSelector, "the class Shape") { try Shape.send("coutn") }
  }

  func testErrorsAreEqualByWhatTheySay() {
    func refusal(_ selector: Selector) -> MessageError? {
      do throws(MessageError) {
        try Shape().send(selector)
      } catch {
        return error
      }
      return nil
    }
    XCTAssertEqual(refusal("nmae"), refusal("nmae"))
    XCTAssertNotEqual(refusal("nmae"), refusal("emna"))
    XCTAssertEqual(Set([refusal("nmae"), refusal("emna"), refusal("nmae")]).count, 2)
  }

  func testWhatAMethodThrowsReachesTheSender() throws {
    let shape = Shape()
    func cause(_ body: () throws -> Void) -> Shape.Failure? {
      do { try body() } catch { return (error as? MessageError)?.underlyingError as? Shape.Failure }
      return nil
    }
    XCTAssertEqual(cause { _ = try shape.send("fail:", 3, returning: Int.self) }?.code, 3)
    XCTAssertEqual(cause { try shape.send("fail:", 4) }?.code, 4)
    // Through a frame: the types differ.
    XCTAssertEqual(cause { _ = try shape.send("fail:", Int8(5), returning: Int.self) }?.code, 5)
    let hook = try shape.target("fail:").hook(.before) { _ in }
    XCTAssertEqual(cause { try shape.send("fail:", 6) }?.code, 6)
    hook.remove()
    XCTAssertEqual(cause { try shape.send("fail:", values: [7]) }?.code, 7)
  }

  func testArgumentsDescribedAtRunTimeAreSent() throws {
    let shape = Shape()
    XCTAssertEqual(try shape.send("scale:", values: [21]), 42)
    XCTAssertEqual(try shape.send("moveX:y:", values: [1.0, 2.0]), .void)
    expectError(.argumentCount, "takes 1") { try shape.send("scale:", values: []) }
    expectError(.typeMismatch, "argument 2") { try shape.send("scale:", values: ["x"]) }
    expectError(.unrecognizedSelector, "Shape") { try shape.send("nothing", values: []) }
  }

  func testObjectsPassAsTheyAre() throws {
    let shape = Shape()
    let tracker = LifetimeTracker()
    let key = AssociationKey<LifetimeTracker.Tracked>("tracked")
    do {
      let object = Square()
      try key.set(tracker.track(), on: object)
      let answer: AnyObject = try shape.send("identity:", object as AnyObject)
      XCTAssertTrue(answer === object)
      let square: Square = try shape.send("identity:", object)
      XCTAssertTrue(square === object)
    }
    // The last object returned on a thread is kept until the next.
    _ = try shape.send("identity:", shape, returning: Shape.self)
    tracker.expectNothingAlive()
  }

  func testPropertiesAreGettersAndSetters() throws {
    let shape = Shape()
    try shape.send("setTitle:", "new")
    XCTAssertEqual(try shape.send("title"), "new")
    XCTAssertEqual(shape.title, "new")
    XCTAssertEqual(Selector(setterOf: "title"), "setTitle:")
  }

  func testClassMethodsAreTheClassesOwn() throws {
    XCTAssertEqual(try Shape.send("count"), 7)
    XCTAssertEqual(try Tile.send("count"), 7)
    XCTAssertEqual(try Shape.classObject.send("count"), 7)
    expectError(.unrecognizedSelector, "Shape") { try Shape().send("count") }
    expectError(.unrecognizedSelector, "the class") { try Shape.send("name") }
  }

  func testSuperSendsToReferencesAreRefused() throws {
    expectError(.dynamicImplementation, "closure") {
      try Square().sendSuper(of: Square.classObject, "name")
    }
    expectError(.unrecognizedSelector, "takes the class whose method sends") {
      try Square().sendSuper(of: Shape.classObject, "area")
    }
    expectError(.typeMismatch, "is not a Square") {
      try Shape().sendSuper(of: Square.classObject, "area")
    }
    final class Inheriting: Shape {
      override class var methods: MethodTable {
        MethodTable(Inheriting.self) {
          Method("count") { (itself: ClassObject) -> Int in
            try 1 + itself.sendSuper(of: Inheriting.classObject, "count")
          }.ofClass()
        }
      }
    }
    XCTAssertEqual(try Inheriting.send("count"), 8)
    expectError(.unrecognizedSelector, "inherits no") {
      try Square().sendSuper(of: Square.classObject, "side")
    }
  }

  func testReceiversTellWhatTheyAnswer() throws {
    let shape = Shape()
    XCTAssertTrue(shape.responds(to: "scale:"))
    XCTAssertFalse(shape.responds(to: "scale"))
    XCTAssertEqual(shape.methodSignature(for: "scale:")?.description, "i@:i")
    XCTAssertEqual(shape.methodSignature(for: "name")?.description, "@\"Swift.String\"@:")
    XCTAssertNil(shape.methodSignature(for: "nothing"))
    XCTAssertTrue(Shape.classObject.responds(to: "count"))
    XCTAssertTrue(Tile.classObject.instancesRespond(to: "area"))
    XCTAssertTrue(Tile.classObject.isSubclass(of: Shape.classObject))
    XCTAssertEqual(Square.classObject.methodNames, ["area", "side"])
    XCTAssertEqual(Shape.classObject.classMethodNames, ["count"])
  }

  func testATableOfAnotherClassIsNamed() {
    final class Copied: MessageReceiver {
      static var methods: MethodTable { MethodTable(Shape.self) { Method("name", Shape.name) } }
    }
    expectError(.unrecognizedSelector, "its table says that it is Shape's") {
      try Copied().send("name")
    }
  }

  func testMethodsThatCannotBeAreReportedWhereTheyAreSent() {
    final class Odd: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Odd.self) {
          Method("tooFew") { (_: Odd, _: Int) in }
          Method("tooMany::") { (_: Odd, _: Int) in }
          Method("wrong:", signature: "v@:", frame: { _ in })
          Method("pair:") { (_: Odd, _: (Int32, Int32)) in }
          Method("nothing:") { (_: Odd, _: Void) in }
          Method("broken", signature: "v@:{", frame: { _ in })
          Method("function", signature: "vi", frame: { _ in })
          Method("block:") { (_: Odd, _: @escaping @convention(block) (Int) -> Void) in }
          Method("fine") { (_: Odd) in }
        }
      }
    }
    let odd = Odd()
    expectError(.invalidMethod, "has 0 colons, the method takes 1 argument;") {
      try odd.send("tooFew")
    }
    expectError(.invalidMethod, "has 2 colons, the method takes 1 argument;") {
      try odd.send("tooMany::", 1, 2)
    }
    expectError(.invalidMethod, "has 1 colon, the signature v@: takes 0 arguments;") {
      try odd.send("wrong:", 1)
    }
    expectError(.invalidSignature, "broken") { try odd.send("broken") }
    expectError(.invalidMethod, "@:") { try odd.send("function") }
    expectError(.invalidMethod, "declare a struct") { try odd.send("pair:", 1) }
    expectError(.invalidMethod, "declare a struct") { try odd.send("nothing:", 1) }
    expectError(.invalidMethod, "declare a Block") { try odd.send("block:", 1) }
    XCTAssertNoThrow(try odd.send("fine"))
    expectError(.invalidMethod, "tooFew") { try Odd.methods.validate() }
  }

  func testBlocksAreSentAsBlocks() throws {
    final class Runner: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Runner.self) {
          Method("run:") { (_: Runner, block: Block) -> Int32 in try block.call(Int32(20)) }
        }
      }
    }
    let block: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    expectError(.typeMismatch, "send a Block") {
      try Runner().send("run:", block, returning: Int32.self)
    }
    XCTAssertEqual(try Runner().send("run:", Block(block), returning: Int32.self), 21)
  }

  func testAMethodOfAnActorIsRefusedElsewhere() async throws {
    @MainActor final class Screen: MessageReceiver {
      func draw(_ depth: Int) -> Int { depth + 1 }
      nonisolated static var methods: MethodTable {
        MethodTable(Screen.self) { Method("draw:", Screen.draw).isolated(to: MainActor.shared) }
      }
    }
    let screen = Screen()
    let isRefused = await Task.detached { () -> Bool in
      do {
        _ = try screen.send("draw:", 1, returning: Int.self)
        return false
      } catch {
        return (error as? MessageError)?.code == .wrongExecutor
      }
    }.value
    XCTAssertTrue(isRefused)
    let depth = try await MainActor.run { try screen.send("draw:", 1, returning: Int.self) }
    XCTAssertEqual(depth, 2)
  }
}
