import Dispatch
import Foundation
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Encoded calls that somebody has changed: they are refused, or are calls.
final class HostileInvocationTests: XCTestCase {
  private final class Page: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("turn:at:as:") { (_: Page, _: [String]?, _: Double, _: String) in }
      }
    }
  }

  /// Encoded calls with values of all kinds.
  private func documents<Encoder: DocumentEncoder>(_ encoder: Encoder) throws -> [[UInt8]] {
    let message = try Page().record {
      try $0.send("turn:at:as:", ["a", "b"] as [String]?, 2.5, "é")
    }
    let call = try Invocation(signature: "{P=dd}@?iQ*{P=dd}[2s]^v(U=iq)BjdtD{S={T=c[2i]}f}")
    let values: [CValue] = [
      -7, CValue(UInt64.max), "text", .structure([1.5, -0.0]), .pointer(0), .pointer(0),
      .member(index: 1, value: 9), true, .complex(real: 1, imaginary: -2), .integer(-1 << 100),
      .longDouble(0.5), .structure([.structure([.integer(1), .array([3, 4])]), .float(1)]),
    ]
    for (index, value) in values.enumerated() { try call.setArgumentValue(index + 1, value) }
    let unset = try Invocation(signature: "v@?ii")
    return try [message, call, unset].map { Array(try encoder.encode($0)) }
  }

  /// Decodes a document; what it throws must be a `DecodingError`, and what it returns a call.
  ///
  /// - Returns: Whether it is a call.
  private static func isCall(_ bytes: [UInt8], _ decode: (Data) throws -> Invocation) -> Bool {
    do {
      let call = try decode(Data(bytes))
      XCTAssertNil(call.target)
      XCTAssertFalse(call.description.isEmpty)
      XCTAssertNoThrow(try JSONEncoder().encode(call.copied()), "\(call)")
      return true
    } catch {
      // Foundation's reader of property lists has errors of its own.
      XCTAssertTrue(
        error is DecodingError || bytes.first != 0x7B, "\(error): \(bytes.count) bytes")
      return false
    }
  }

  func testMutatedDocumentsThrowOrAreCalls() throws {
    let encoder = JSONEncoder()
    // The same documents in every run.
    encoder.outputFormatting = .sortedKeys
    let json = try documents(encoder)
    let binary = try documents(PropertyListEncoder())
    var (random, calls) = (SeededGenerator(seed: 7), 0)
    let count = shortened(20_000)
    for index in 0..<count {
      let isBinary = index % 4 == 0
      let documents = isBinary ? binary : json
      var mutant = MutatedDocument(documents[index % documents.count])
      mutant.change(using: &random)
      let isCall =
        isBinary
        ? Self.isCall(mutant.bytes) { try PropertyListDecoder().decode(Invocation.self, from: $0) }
        : Self.isCall(mutant.bytes) { try JSONDecoder().decode(Invocation.self, from: $0) }
      if isCall { calls += 1 }
    }
    XCTAssertGreaterThan(calls, count / 1000)
    XCTAssertLessThan(calls, count / 2)
  }

  func testLongAndDeepDocumentsAreRefused() {
    func text(_ signature: String, _ argument: String) -> String {
      #"{"signature":"\#(signature)","arguments":[\#(argument)]}"#
    }
    func nested(_ depth: Int, _ kind: String) -> String {
      String(repeating: #"{"\#(kind)":["#, count: depth) + #"{"integer":1}"#
        + String(repeating: "]}", count: depth)
    }
    let member = String(repeating: #"{"member":{"index":0,"value":"#, count: 250)
    let many = Array(repeating: #"{"integer":1}"#, count: 100_000).joined(separator: ",")
    let texts = [
      text("v@?i", nested(250, "structure")), text("v@?i", nested(250, "array")),
      text("v@?i", nested(100_000, "array")),
      text("v@?i", member + #"{"integer":1}"# + String(repeating: "}}", count: 250)),
      text("v@?i", many), text("v@?[4i]", #"{"array":[\#(many)]}"#),
      text("v@?{A=[2000000000q]}", "null"),
      text("v@?" + String(repeating: "i", count: 100_000), many),
      text("v@?" + String(repeating: "[1", count: 5_000), "null"),
      text("v@?i", #"{"integer":"\#(String(repeating: "9", count: 100_000))"}"#),
      text("v@?i", #"{"integer":1e400}"#), text("v@?d", #"{"double":"1e9999999999x"}"#),
    ]
    // As small as the stack of a thread of libdispatch.
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
      defer { end.signal() }
      for text in texts {
        XCTAssertFalse(
          Self.isCall(Array(text.utf8)) { try JSONDecoder().decode(Invocation.self, from: $0) },
          String(text.prefix(60)))
      }
    }
    thread.stackSize = 512 << 10
    thread.start()
    end.wait()
  }
}

/// What encodes documents.
private protocol DocumentEncoder {
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DocumentEncoder {}
extension PropertyListEncoder: DocumentEncoder {}

/// A document with some bytes that are changed.
private struct MutatedDocument {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private static let texts = [
    "null", "{}", "[]", "-1", "1e308", "18446744073709551616", "true", "\"\"", "\"^v\"", "pointer",
    "object",
    "structure", "member", "[99999999i]", "{", "}", "\\u0000", "@?", "i",
  ]

  mutating func change(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let length = min(Int.random(in: 1...12, using: &random), bytes.count - place)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeSubrange(place..<place + length)
      case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 4: bytes.removeLast(bytes.count - place)
      case 5:
        let other = Int.random(in: 0...bytes.count - length, using: &random)
        bytes.replaceSubrange(place..<place + length, with: bytes[other..<other + length])
      default:
        let text = Self.texts.randomElement(using: &random) ?? ""
        bytes.replaceSubrange(place..<place + length, with: text.utf8)
      }
    }
  }
}
