import Foundation
import TestSupport
import TypeEncodings
import XCTest

final class HostileInputTests: XCTestCase {
  func testTenMegabytesOfAnythingAreRefusedForTheirLength() {
    var generator = SeededGenerator(seed: 1)
    let size = isShort ? 2 << 20 : 10 << 20
    let block = (0..<(1 << 16)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let random = repeatElement(block, count: size / block.count).joined()
    for text in [
      String(repeating: "{", count: size), String(repeating: "^", count: size),
      String(repeating: "[1", count: size / 2), String(repeating: "9", count: size),
      String(decoding: random, as: UTF8.self),
    ] {
      XCTAssertThrowsError(try TypeEncoding(parsing: text)) { Self.check($0, .tooLong) }
      XCTAssertThrowsError(try MethodSignature(parsing: text)) { Self.check($0, .tooLong) }
    }
  }

  func testTheLongestTextsAreReadInOnePass() {
    let rows: [(unit: String, code: ErrorCode?, line: UInt)] = [
      ("{", .unexpectedCharacter, #line), ("{a=", .tooDeep, #line), ("(a=", .tooDeep, #line),
      ("^", .tooDeep, #line), ("[1", .tooDeep, #line), ("@?<", .tooDeep, #line),
      ("9", .numberTooLarge, #line), ("{<", .unexpectedCharacter, #line),
      ("<", .unexpectedCharacter, #line), ("r", .unexpectedEnd, #line), ("@\"a", nil, #line),
      ("i", nil, #line), ("{a=i}", nil, #line), ("i8", nil, #line),
    ]
    for row in rows {
      let count = shortened(TypeEncoding.maximumLength / row.unit.utf8.count)
      let text = String(repeating: row.unit, count: count)
      do throws(TypeEncodingError) {
        let signature = try MethodSignature(parsing: text)
        XCTAssertEqual(signature.description, text, line: row.line)
        XCTAssertEqual(signature.differences(from: signature), [], line: row.line)
        _ = try? signature.callLayouts()
        _ = try? signature.withFrameOffsets()
      } catch {
        guard let code = row.code else { continue }
        XCTAssertTrue(
          [code, .unterminated, .numberTooLarge].contains(error.code), "\(error.code)",
          line: row.line)
      }
    }
    let named = "{a=\"o\"" + String(repeating: "@\"x\"", count: shortened(200_000)) + "}"
    XCTAssertEqual(try TypeEncoding(parsing: named).description, named)
  }

  func testTheDeepestTypesFitTheSmallestThreadStack() {
    let depth = TypeEncoding.maximumDepth
    let nests: [(opening: String, core: String, closing: String)] = [
      ("^", "i", ""), ("[1", "i", "]"), ("{a=", "i", "}"), ("{a=\"n\"", "i", "}"),
      ("(a=", "i", ")"),
      ("@?<", "v", ">"), ("@?<v@?", "v", ">"), ("{a=i[2{b=^", "i", "}]}"), ("r[1r^", "i", "]"),
    ]
    for nest in nests {
      let levels = nest.opening.filter { "^[{(<".contains($0) }.count
      let text = Self.nested(nest, levels: depth / levels)
      let deeper = Self.nested(nest, levels: depth / levels + 1)
      let failure = Self.onSmallStack {
        do throws(TypeEncodingError) {
          let encoding = try TypeEncoding(parsing: text)
          guard encoding.description == text else { return "prints differently" }
          guard Set([encoding, try TypeEncoding(parsing: text)]).count == 1 else { return "hash" }
          guard encoding.isCompatible(with: try TypeEncoding(parsing: text)) else {
            return "differs"
          }
          if try encoding.layout().size == 0 { return "layout" }
          let signature = MethodSignature(
            result: TypeEncoding(.pointer(encoding)),
            arguments: [.init(encoding), .init(TypeEncoding(.block(nil)))])
          try signature.callLayouts()
          guard try signature.withFrameOffsets().withoutFrameOffsets() == signature else {
            return "frame"
          }
        } catch {
          return error.description
        }
        do throws(TypeEncodingError) {
          _ = try TypeEncoding(parsing: deeper)
          return "too deep, yet parsed"
        } catch {
          return error.code == .tooDeep ? nil : error.description
        }
      }
      XCTAssertNil(failure, String(text.prefix(20)))
    }
  }

  func testAlternatingArraysAndStructuresAreComparedInBoundedTime() throws {
    var own = "i"
    var other = "i"
    for _ in 0..<(TypeEncoding.maximumDepth / 2) {
      own = "{?=[1\(own)]}"
      other = "{?={?=\(other)}}"
    }
    XCTAssertTrue(
      try TypeEncoding(parsing: own).isCompatible(with: try TypeEncoding(parsing: other)))
    let different = other.replacingOccurrences(of: "i", with: "q")
    XCTAssertFalse(
      try TypeEncoding(parsing: own).isCompatible(with: try TypeEncoding(parsing: different)))
  }

  private static func nested(
    _ nest: (opening: String, core: String, closing: String), levels: Int
  ) -> String {
    String(repeating: nest.opening, count: levels) + nest.core
      + String(repeating: nest.closing, count: levels)
  }

  private static func check(_ error: any Error, _ code: ErrorCode) {
    XCTAssertEqual((error as? TypeEncodingError)?.code, code)
  }

  /// Whether a sanitizer runs, which makes every frame several times larger.
  private static var isSanitized: Bool {
    unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
  }

  /// Runs a body on a thread with the stack that Foundation's secondary threads have on Apple's
  /// systems.
  private static func onSmallStack(_ body: @escaping @Sendable () -> String?) -> String? {
    final class Outcome: @unchecked Sendable {
      // SAFETY: the semaphore orders the one write before the one read.
      var failure: String?
      let done = DispatchSemaphore(value: 0)
    }
    let outcome = Outcome()
    let thread = Thread {
      outcome.failure = body()
      outcome.done.signal()
    }
    thread.stackSize = isSanitized ? 8 << 20 : leastStack
    thread.start()
    outcome.done.wait()
    return outcome.failure
  }
}

/// The stack of libdispatch's threads.
///
/// Debug builds by Swift 6.2 make larger frames, and get twice as much.
let leastStack: Int = {
  #if DEBUG && compiler(<6.3)
  1 << 20
  #else
  512 << 10
  #endif
}()
