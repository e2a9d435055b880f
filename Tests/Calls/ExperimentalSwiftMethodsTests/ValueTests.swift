import BlockHooks
import CFixtures
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming; slots are
// those of the methods' own class.

/// Values on their way through hooks; the oracle is the same call without them.
final class ValueTests: XCTestCase {
  /// Hooks all methods of pages that can be, so that they pass through in every position.
  private func hookEverything() throws -> [Hook] {
    let type = try SwiftClass(Page.self)
    return try type.methods.filter { $0.signature != nil }.flatMap { method in
      unsafe [
        try type.target(method.declaration).hook(.before) { call in _ = call.arguments.description
        },
        try type.target(method.declaration).hook { try $0.proceed() },
        try type.target(method.declaration).hook(.after) { _ in },
      ]
    }
  }

  /// What calls of all methods give, and what the methods saw.
  private func outcome(_ seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    func any<Value: FixedWidthInteger>() -> Value { .random(in: .min ... .max, using: &random) }
    func real() -> Double { .random(in: -1e9...1e9, using: &random) }
    let page = Page()
    var numbers: [Int32] = [1, 2]
    let found = unsafe numbers.withUnsafeMutableBufferPointer { numbers in
      guard let end = numbers.baseAddress else { return "none" }
      let start = unsafe UnsafePointer(end)
      return unsafe "\(page.find(start, end) == start + 1) \(page.find(start, nil) == nil)"
    }
    page.close()
    let results: [Any] = [
      page.didLoad(count: any(), real()), page.negate(true), page.negate(false),
      page.mix(
        any(), Float(real()), any(), real(), .random(using: &random), any(), any(), real(), real(),
        Float(real()), real(), real(), real()),
      page.byte(any(), any(), any(), any(), any()), page.short(any()), page.unsignedByte(any()),
      page.half(Float(real())), page.attach(nil, to: page), page.attach(DeeperPage(), to: page),
      page.draw(any() as Int), page.draw(real()), found,
    ]
    page.count = any()
    return results.map { "\($0)" } + page.seen + ["\(page.count)"]
  }

  func testValuesPassThroughAsWithoutHooks() throws {
    let expected = (0..<200).map(outcome)
    let hooks = try hookEverything()
    XCTAssertEqual(hooks.count, 3 * 15)
    for seed in 0..<200 { XCTAssertEqual(outcome(UInt64(seed)), expected[seed]) }
    for hook in hooks { hook.remove() }
    XCTAssertEqual(outcome(7), expected[7])
  }

  func testEveryRegisterIsSeenAndChanged() throws {
    let log = Recorder<String>()
    let hook = unsafe try SwiftClass(Page.self).target("mix(_:_:_:_:_:_:_:_:_:_:_:_:_:)").hook(
      .before
    ) {
      call in
      log.record(call.arguments.description)
      for index in [2, 4, 8, 9, 10, 11, 12, 13] { try call.setArgument(index, Double(index)) }
      for index in [1, 3, 6, 7] { try call.setArgument(index, index) }
      try call.setArgument(5, false)
    }
    let page = Page()
    XCTAssertEqual(page.mix(-1, 0.5, 2, 1.5, true, -3, 4, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5), 17)
    hook.remove()
    XCTAssertTrue(
      log.entries[0].hasSuffix(
        ", i8 -1, float 0.5, u16 2, double 1.5, true, i64 -3, u32 4, double 2.5, double 3.5, "
          + "float 4.5, double 5.5, double 6.5, double 7.5"), log.entries[0])
    XCTAssertEqual(page.seen, ["1 2.0 3 4.0 false 6 7 8.0 9.0 10.0 11.0 12.0 13.0"])
  }

  /// Swift passes a Bool as one bit, and leaves anything in the others.
  func testABoolIsOneBit() throws {
    let before = metadataWords(of: Page.self)
    let log = Recorder<Bool>()
    let hook = unsafe try SwiftClass(Page.self).target("negate(_:)").hook(.before) { call in
      log.record(try call.argument(1, as: Bool.self))
    }
    let slot = try XCTUnwrap(
      zip(before, metadataWords(of: Page.self)).enumerated().first {
        $0.element.0 != $0.element.1
      }
    ).offset
    let page = Page()
    let results = withExtendedLifetime(page) {
      let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(page).toOpaque())
      return [0xFFFF_FFFE, 0x0000_0101, 2, 3].map {
        unsafe fixture_call_flag_method(address, slot, $0) & 1
      }
    }
    hook.remove()
    XCTAssertEqual(log.entries, [false, true, false, true])
    XCTAssertEqual(results, [1, 0, 1, 0])
  }

  func testAResultOfNothingButZeroIsGivenWhereAHandlerGivesNone() throws {
    let type = try SwiftClass(Page.self)
    let names = ["didLoad(count:_:)", "negate(_:)", "find(_:_:)", "half(_:)", "unsignedByte(_:)"]
    let hooks = try names.map { unsafe try type.target($0).hook { _ in } }
    let page = Page()
    XCTAssertEqual(page.didLoad(count: 1, 2), 0)
    XCTAssertEqual(page.negate(false), false)
    XCTAssertEqual(page.half(2), 0)
    XCTAssertEqual(page.unsignedByte(9), 0)
    var number: Int32 = 0
    XCTAssertNil(unsafe withUnsafePointer(to: &number) { unsafe page.find($0, nil) })
    for hook in hooks { hook.remove() }
  }
}
