import BlockABI
import Foundation
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Calls that are encoded, and decoded without a receiver.
final class InvocationCodingTests: XCTestCase {
  private struct Mark: Codable, Equatable, Sendable { var names: [String] }

  private final class Page: MessageReceiver, Sendable {
    let marks: Recorder<String>
    init(_ marks: Recorder<String>) { self.marks = marks }
    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("mark:at:as:") { (page: Page, mark: Mark?, place: Double, name: String) in
          page.marks.record("\(mark?.names ?? []) \(place) \(name)")
        }
        Method("hold:") { (_: Page, _: Page?) in }
      }
    }
  }

  private func copied(_ call: Invocation) throws -> Invocation {
    try JSONDecoder().decode(Invocation.self, from: JSONEncoder().encode(call))
  }

  func testAMessageIsSentToTheReceiverThatTheCallerNames() throws {
    let marks = Recorder<String>()
    let page = Page(marks)
    for mark in [Mark(names: ["a", "b"]), nil] {
      let call = try page.record {
        try $0.send("mark:at:as:", mark, 2.5, "dog \u{1F415}")
      }
      let decoded = try copied(call)
      XCTAssertNil(decoded.receiver)
      XCTAssertEqual(decoded.selector, "mark:at:as:")
      expectError(.deadReceiver) { try decoded.send() }
      try decoded.send(to: page)
    }
    XCTAssertEqual(marks.take(), ["[\"a\", \"b\"] 2.5 dog \u{1F415}", "[] 2.5 dog \u{1F415}"])
    let call = try page.record { try $0.send("hold:", Page?.none) }
    XCTAssertNoThrow(try copied(call).send(to: page))
    let holding = try page.record { try $0.send("hold:", page) }
    XCTAssertThrowsError(try JSONEncoder().encode(holding)) { XCTAssertTrue($0 is EncodingError) }
  }

  func testValuesOfAnySignatureAreKept() throws {
    let block = try Block(signature: "{P=dd}@?iQ*{P=dd}[2s]^v(U=iq)B") { call in
      try call.setResultValue(call.argumentValue(4))
    }
    let call = try Invocation(block)
    let values: [CValue] = [
      -7, CValue(UInt64.max), "text", .structure([1.5, -0.0]), .pointer(0), .pointer(0),
      .member(index: 1, value: 9), true,
    ]
    for (index, value) in values.enumerated() { try call.setArgumentValue(index + 1, value) }
    let decoded = try copied(call)
    XCTAssertNil(decoded.target)
    XCTAssertEqual(decoded.arguments.description, call.arguments.description)
    try decoded.invoke(on: block)
    XCTAssertEqual(try decoded.resultValue(), .structure([1.5, -0.0]))
    let unset = try copied(Invocation(signature: "v@?ii"))
    expectError(.missingArgument) { _ = try unset.argument(1, as: Int32.self) }
  }

  func testAddressesAreNotEncoded() throws {
    for (signature, value): (String, CValue) in [
      ("v^v", .pointer(4096)), ("v{P=i^v}", .structure([1, .pointer(8)])),
      ("v(U=^vq)", .member(index: 1, value: 4096)), ("v@", .object(LifetimeTracker())),
      ("v#", .class(LifetimeTracker.self)), ("v@?@?", .block(try Block(signature: "v@?") { _ in })),
    ] {
      let call = try Invocation(signature: signature)
      try call.setArgumentValue(signature.hasPrefix("v@?@?") ? 1 : 0, value)
      XCTAssertThrowsError(try JSONEncoder().encode(call), signature) {
        XCTAssertTrue($0 is EncodingError)
      }
    }
  }

  func testHostileDataIsRefused() {
    let texts = [
      "{}", "[]", "7", #"{"signature":"v@?i"}"#, #"{"signature":"","arguments":[]}"#,
      #"{"signature":"v@?{","arguments":[]}"#, #"{"signature":"v@?i","arguments":[]}"#,
      #"{"signature":"v@?i","arguments":[{"integer":1},{"integer":2}]}"#,
      #"{"signature":"v@?c","arguments":[{"integer":300}]}"#,
      #"{"signature":"v^v","arguments":[{"pointer":4096}]}"#,
      #"{"signature":"v^v","arguments":[{"integer":4096}]}"#,
      #"{"signature":"v*","arguments":[{"integer":4096}]}"#,
      #"{"signature":"v*","arguments":[{"bytes":[1,0,2]}]}"#,
      #"{"signature":"v@","arguments":[{"integer":4096}]}"#,
      #"{"signature":"v:","arguments":[{"cString":"x"}]}"#,
      #"{"signature":"v{P=i^v}","arguments":[{"structure":[{"integer":1},{"pointer":8}]}]}"#,
      #"{"signature":"v(U=^vq)","arguments":[{"bytes":[1,2,3,4,5,6,7,8]}]}"#,
      #"{"signature":"v(U=^vq)","arguments":[{"member":{"index":1,"value":{"integer":1}}}]}"#,
      #"{"signature":"v@\"Swift.Error\"","arguments":[{"swift":1}]}"#,
      #"{"signature":"v@\"No.Type\"","arguments":[{"swift":1}]}"#,
      #"{"signature":"v@\"No.Type\"","arguments":[{"integer":1}]}"#,
      #"{"signature":"v@:","selector":"surely:unknown:","arguments":[]}"#,
      #"{"signature":"v@:i","selector":"mark:at:as:","arguments":[{"integer":1}]}"#,
      #"{"signature":"v@?","selector":"mark:at:as:","arguments":[]}"#,
      #"{"signature":"v{A=[900000000000q]}","arguments":[null]}"#,
    ]
    for text in texts {
      XCTAssertThrowsError(
        try JSONDecoder().decode(Invocation.self, from: Data(text.utf8)), text
      ) { XCTAssertTrue($0 is DecodingError, "\(text): \($0)") }
    }
    XCTAssertNil(Selector.known("surely:unknown:"))
  }
}
