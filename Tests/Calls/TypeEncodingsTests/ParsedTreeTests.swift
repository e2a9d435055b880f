import CFixtures
import TestSupport
import TypeEncodings
import XCTest

/// What the tree of a parsed encoding allocates.
final class ParsedTreeTests: XCTestCase {
  func testListsHaveNoPlacesLeftAndConstTakesNoMemory() throws {
    try XCTSkipIf(isSanitized || heapInUse() == 0, "the allocator does not count")
    // A place for each argument or field, and none more.
    XCTAssertEqual(bytes(parsing: "v"), 0)
    for count in 1..<4 {
      let (shorter, longer) = (
        String(repeating: "i", count: count), String(repeating: "i", count: count + 1)
      )
      XCTAssertEqual(bytes(parsing: "v\(longer)") - bytes(parsing: "v\(shorter)"), 32)
      XCTAssertEqual(bytes(parsing: "v{P=\(longer)}") - bytes(parsing: "v{P=\(shorter)}"), 32)
    }
    XCTAssertEqual(bytes(parsing: "vr*"), bytes(parsing: "vi"))
    // Other qualifiers are the encoding's own, as are objects, blocks and pointees.
    for text in ["n*", "rn*", "rr*", "@", "@?", "^i"] {
      XCTAssertGreaterThan(bytes(parsing: "v\(text)"), bytes(parsing: "vi"), text)
    }
  }

  func testListsOfEveryLengthHaveTheirElementsInOrder() throws {
    let types = ["c", "s", "i", "q", "@", "@?", "r*", "{P=dd}", "^v"]
    for count in 0...types.count {
      let text = types[..<count].joined()
      let signature = try MethodSignature(parsing: "v\(text)")
      XCTAssertEqual(signature.arguments.map(\.encoding.description), Array(types[..<count]))
      let record = try TypeEncoding(parsing: "{R=\(text)}")
      guard case .structure(let structure) = record.type else { return XCTFail("\(record)") }
      XCTAssertEqual(structure.fields?.map(\.encoding.description), Array(types[..<count]))
    }
  }

  func testAChangedEncodingLeavesOthersThatShareItsParts() throws {
    var changed = try MethodSignature(parsing: "v@?r*@")
    let other = try MethodSignature(parsing: "v@?r*@")
    changed.arguments[0].encoding.type = .object(className: "A")
    changed.arguments[1].encoding.qualifiers.append(.in)
    changed.arguments[2].encoding.type = .block(nil)
    XCTAssertEqual(changed.description, "v@\"A\"rn*@?")
    XCTAssertEqual(other.description, "v@?r*@")
    XCTAssertEqual(try MethodSignature(parsing: "v@?r*@"), other)
  }

  /// The memory that a parsed signature takes: the second of three measurements, because threads of
  /// earlier tests may allocate and free meanwhile.
  private func bytes(parsing text: String) -> Int {
    (0..<3).map { _ in measuredBytes(parsing: text) }.sorted()[1]
  }

  private func measuredBytes(parsing text: String) -> Int {
    let count = 10_000
    var signatures: [MethodSignature] = []
    signatures.reserveCapacity(count)
    // What all encodings share is made before.
    _ = try? MethodSignature(parsing: text)
    let before = heapInUse()
    for _ in 0..<count {
      if let signature = try? MethodSignature(parsing: text) { signatures.append(signature) }
    }
    let after = heapInUse()
    XCTAssertEqual(signatures.count, count)
    // A multiple of 16; blocks that the allocator keeps for its next calls count, too.
    return (after - before + count * 8) / count / 16 * 16
  }

  private func heapInUse() -> Int { Int(fixture_heap_in_use()) }
}
