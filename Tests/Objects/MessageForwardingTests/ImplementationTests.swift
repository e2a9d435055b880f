import BlockABI
import BlockHooks
import CFixtures
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import TypeEncodings
import XCTest

private final class Host: MessageReceiver {
  static var methods: MethodTable { MethodTable(Host.self) }
}

/// Blocks, C functions and closures as implementations.
final class ImplementationTests: XCTestCase {
  private static func make(_ text: String) throws -> FunctionPointer {
    try FunctionPointer(signature: "i@:i") { call in
      XCTAssertEqual(try call.argument(1, as: Selector.self).name, text)
      try call.setResult(call.argument(2, as: Int32.self) + 1)
    }
  }

  func testACFunctionIsAnImplementation() throws {
    let pointer = try Self.make("next:")
    let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "i@:i")
    Host.replaceMethod(Method("next:", function: function))
    XCTAssertEqual(try Host().send("next:", Int32(41)), Int32(42))
    XCTAssertEqual(try Host().send("next:", 41, returning: Int.self), 42)
    let hook = try Host.target("next:").hook(.before) { try $0.setArgument(2, Int32(1)) }
    XCTAssertEqual(try Host().send("next:", Int32(41)), Int32(2))
    hook.remove()
    Host.replaceMethod(Method("next:") { (_: Host, _: Int32) -> Int32 in 0 })
    withExtendedLifetime(pointer) {}
    let wrong = try unsafe CFunction(unsafeAddress: pointer.unsafeAddress, signature: "ii")
    Host.addMethod(Method("wrong:", function: wrong))
    expectError(.invalidMethod, "receiver and a selector") {
      try Host().send("wrong:", Int32(1))
    }
  }

  /// libobjc2's BlockImpTest: called by its address, got back, replaced, also with a result through
  /// a hidden pointer.
  func testABlocksImplementationIsCalledByItsAddress() throws {
    let block = try Block(signature: "{Large=qqqdd}@?@i") { call in
      let number = Int64(try call.argument(2, as: Int32.self))
      try call.setResultValue(
        .structure([.integer(Int128(number)), 2, 3, .double(4), .double(5)]))
    }
    Host.replaceMethod(Method("large:", block: block))
    let method = try XCTUnwrap(Host.classObject.method("large:"))
    XCTAssertEqual(method.block, block)
    XCTAssertEqual(try method.signature.description, "{Large=qqqdd}@:i")
    let host = Host()
    let expected = CValue.structure([9, 2, 3, .double(4), .double(5)])
    XCTAssertEqual(try host.send("large:", values: [9]), expected)
    let function = unsafe try CFunction(
      unsafeAddress: method.unsafeImplementation(), signature: "{Large=qqqdd}@:i")
    let invocation = Invocation(function)
    try invocation.setArgument(0, host)
    try invocation.setArgument(1, Selector("large:"))
    try invocation.setArgument(2, Int32(9))
    try invocation.invoke()
    XCTAssertEqual(try invocation.resultValue(), expected)
    XCTAssertNotNil(Host.replaceMethod(Method("large:") { (_: Host, _: Int32) in })?.block)
    XCTAssertNil(Host.classObject.method("large:")?.block)
  }

  /// More at once than one page of code holds.
  func testThousandsOfImplementationsLiveAtOnce() throws {
    let many = try DynamicClass("Many")
    try many.register()
    let count = 2000
    for number in 0..<count {
      many.addMethod(
        Method(
          Selector("number\(number)"),
          block: try Block(signature: "i@?@") { try $0.setResult(Int32(number)) }))
    }
    var addresses: Set<UInt> = []
    do {
      let object = try many.makeInstance()
      for number in 0..<count {
        let selector = Selector("number\(number)")
        XCTAssertEqual(try object.send(selector), Int32(number))
        let address = unsafe try many.method(selector)?.unsafeImplementation()
        addresses.insert(UInt(bitPattern: address))
      }
    }
    XCTAssertEqual(addresses.count, count)
    try many.dispose()
  }

  func testSelectorsAreTheSameWhereverTheyComeFrom() {
    let name = ["did", "Load:"].joined()
    XCTAssertEqual(Selector(name), "didLoad:")
    let isSame = unsafe Selector(name).pointer == Selector("didLoad:").pointer
    XCTAssertTrue(isSame)
    XCTAssertEqual(Selector.known(name), "didLoad:")
    XCTAssertNil(Selector.known("never kept by anybody"))
    let found = unsafe Selector.at(Selector(name).pointer)
    XCTAssertEqual(found, "didLoad:")
    let inside = unsafe Selector.at(Selector(name).pointer + 1)
    XCTAssertNil(inside)
    XCTAssertEqual(Selector("a:b::").argumentCount, 3)
    XCTAssertEqual(Selector("é").name, "é")
    XCTAssertEqual(Selector("").name, "")
    XCTAssertEqual(Selector("cut\0off").name, "cut")
    XCTAssertEqual(Selector(String("cut\0off")).name, "cut")
    let all = (0..<3000).map { Selector("selector \($0)") }
    XCTAssertEqual(Set(all).count, 3000)
    XCTAssertEqual(all.map(\.name), (0..<3000).map { "selector \($0)" })
  }

  func testAMethodWithManyArguments() throws {
    Host.replaceMethod(
      Method("a:b:c:d:e:f:g:") {
        (
          _: Host, a: Int8, b: UInt16, c: Float, d: String, e: Int64, f: Double, g: [Int]
        ) -> String
        in
        "\(a) \(b) \(c) \(d) \(e) \(f) \(g)"
      })
    let host = Host()
    let expected = "1 2 3.5 four 5 6.5 [7]"
    XCTAssertEqual(
      try host.send(
        "a:b:c:d:e:f:g:", Int8(1), UInt16(2), Float(3.5), "four", Int64(5), 6.5, [7]), expected)
    XCTAssertEqual(try host.send("a:b:c:d:e:f:g:", 1, 2, 3.5, "four", 5, 6.5, [7]), expected)
    let hook = try host.target("a:b:c:d:e:f:g:").hook(.before) { call in
      try call.setArgument(8, call.argument(8, as: [Int].self) + [8])
    }
    XCTAssertEqual(
      try host.send("a:b:c:d:e:f:g:", 1, 2, 3.5, "four", 5, 6.5, [7]), "1 2 3.5 four 5 6.5 [7, 8]")
    hook.remove()
  }

  func testSwiftTypesOfEveryKindAreSent() throws {
    enum Colour: Equatable { case red, green(Int) }
    struct Pair: Equatable { var x: Double; var y: Double }
    Host.replaceMethod(Method("colour:") { (_: Host, colour: Colour) -> Colour in colour })
    Host.replaceMethod(
      Method("pair:") { (_: Host, pair: Pair) -> Pair in Pair(x: pair.y, y: pair.x) })
    Host.replaceMethod(Method("number:") { (_: Host, number: Int?) -> Int? in number })
    Host.replaceMethod(
      Method("run:") { (_: Host, body: @escaping @Sendable (Int) -> Int) -> Int in body(20) })
    let host = Host()
    func check() throws {
      XCTAssertEqual(try host.send("colour:", Colour.green(3)), Colour.green(3))
      XCTAssertEqual(try host.send("pair:", Pair(x: 1, y: 2)), Pair(x: 2, y: 1))
      XCTAssertEqual(try host.send("number:", Int?.none, returning: Int?.self), nil)
      XCTAssertEqual(try host.send("number:", Int?.some(4), returning: Int?.self), 4)
      let body: @Sendable (Int) -> Int = { $0 + 1 }
      XCTAssertEqual(try host.send("run:", body, returning: Int.self), 21)
    }
    try check()
    let hooks = try ["colour:", "pair:", "number:", "run:"].map {
      try host.target(Selector($0)).hook(.before) { _ in }
    }
    try check()
    for hook in hooks { hook.remove() }
    expectError(.typeMismatch, "argument 2") { try host.send("colour:", "red") }
  }

  func testAClosureMayTakeAnyObjectAsReceiver() throws {
    let method = Method("itself") { (receiver: AnyObject) -> AnyObject in receiver }
    Host.replaceMethod(method)
    let host = Host()
    XCTAssertIdentical(try host.send("itself", returning: AnyObject.self), host)
    XCTAssertIdentical(try host.send("itself", returning: Host.self), host)
  }

  func testValuesOfTypesWithoutADotInTheirNamesTravel() throws {
    let run = Recorder<String>()
    Host.replaceMethod(Method("text:") { (_: Host, value: Any) -> String in "\(type(of: value))" })
    Host.replaceMethod(Method("run:") { (_: Host, body: @Sendable () -> Void) in body() })
    let host = Host()
    let body: @Sendable () -> Void = { run.record("run") }
    let hooks = try ["text:", "run:"].map { try host.target(Selector($0)).hook(.before) { _ in } }
    for _ in 0..<2 {
      XCTAssertEqual(try host.send("text:", 3 as Any), "Int")
      XCTAssertEqual(try host.send("text:", "three"), "String")
      XCTAssertEqual(try host.send("text:", host), "Host")
      XCTAssertNoThrow(try host.send("run:", body))
      for hook in hooks { hook.remove() }
    }
    XCTAssertEqual(run.entries.count, 2)
  }
}
