import BlockRuntime
import CFixtures
import RetainCycles
import TestSupport
import XCTest

final class CapturesTests: XCTestCase {
  private typealias Body = @convention(block) (Int32) -> Void

  private func texts(_ block: Block) -> [String] {
    // SAFETY: only this thread uses what the block captures.
    unsafe block.captures.map(\.description)
  }

  func testTheCapturesOfASwiftBlockAreThoseOfItsClosure() throws {
    let (first, second, third, fourth) = (Page(), Page(), Page(), Page())
    var text = "a"
    let body: Body = { [weak second, unowned third, unowned(unsafe) fourth] number in
      text += "\(number)"
      first.title = text
      second?.title = third.title
      unsafe third.title = fourth.title
    }
    let captures = unsafe try Block(body).captures
    let found = captures.filter { $0.typeName == "Page" }
    XCTAssertEqual(
      Set(found.map(\.ownership)), [.strong, .weak, .unowned, .unmanaged], "\(captures)")
    XCTAssertTrue(found.first { $0.ownership == .strong }?.object === first)
    XCTAssertTrue(found.first { $0.ownership == .weak }?.object === second)
    XCTAssertNil(found.first { $0.ownership == .unowned }?.object)
    XCTAssertEqual(captures.count, 4, "the text in its box holds nothing: \(captures)")
    withExtendedLifetime((second, third, fourth)) {}
  }

  func testCapturesHaveTheirIndicesAsNames() throws {
    let (page, number, pages) = (Page(), 3, ["a": [Page()]])
    let body: Body = { page.title = "\($0) \(number) \(pages)" }
    let captures = unsafe try Block(body).captures
    XCTAssertEqual(captures.count, 2, "\(captures)")
    XCTAssertTrue(captures.allSatisfy { $0.name.hasPrefix("capture ") }, "\(captures)")
    XCTAssertTrue(captures.contains { $0.name.hasSuffix("[\"a\"][0]") }, "\(captures)")
  }

  func testABlockWithoutCapturesHoldsNothing() throws {
    XCTAssertEqual(texts(try Block({ _ in } as Body)), [])
    // Other tests of the process may have hooked it.
    let global = unsafe Block(unsafePointer: fixture_global_adder())
    XCTAssertEqual(texts(global).filter { !$0.hasPrefix("hooks: ") }, [])
    let adder = unsafe Block(unsafePointer: fixture_heap_adder(2))
    XCTAssertEqual(texts(adder), [])
  }

  func testAHookedBlockHoldsItsHooksAndWhatItHeldBefore() throws {
    let page = Page()
    let block = try Block({ [other = Page()] _ in (page.title, other.title) = ("", "") } as Body)
    let before = texts(block)
    try block.hook { try $0.proceed() }
    let after = unsafe block.captures
    XCTAssertEqual(before.count, 2)
    XCTAssertEqual(after.count, 2, "\(after)")
  }

  func testTheBlocksOfCNameTheirCapturesByTheirHelpers() throws {
    let library = try LoadedLibrary(
      self, "captures",
      source: """
        typedef void (^block_t)(void);
        extern void *_Block_copy(const void *);
        void *nested(int n) {
          block_t inner = (block_t)_Block_copy(^{ (void)n; });
          __block int number = n;
          __block block_t variable = inner;
          return _Block_copy(^{ inner(); variable(); number += n; });
        }
        void *recursive(int n) {
          __block block_t variable = 0;
          variable = (block_t)_Block_copy(^{ if (n) variable(); });
          return variable;
        }
        """)
    typealias Make = @convention(c) (Int32) -> UnsafeRawPointer
    func block(_ name: String) throws -> Block {
      // SAFETY: the functions are those above.
      let make = unsafe try unsafeBitCast(library.address(of: name), to: Make.self)
      return unsafe Block(unsafePointer: make(1))
    }
    let nested = unsafe try block("nested").captures
    XCTAssertEqual(nested.map(\.ownership), [.strong, .strong], "\(nested)")
    XCTAssertTrue(nested.allSatisfy { $0.name.hasPrefix("capture at ") }, "\(nested)")
    XCTAssertTrue(nested.allSatisfy { $0.typeName.contains("nested_block_invoke") }, "\(nested)")
    let recursive = unsafe try RetainCycle.find(from: block("recursive"))
    XCTAssertEqual(recursive.cycles.count, 1, "\(recursive)")
    XCTAssertTrue("\(recursive)".contains("recursive_block_invoke"), "\(recursive)")
  }

  func testABlockWhoseHelperHasNoNameIsUnknown() throws {
    let library = try LoadedLibrary(
      CompiledFiles(self).compile(
        "libstripped.so", ["-shared", "-fPIC", "-fblocks", "-O1", "-Wl,-s"],
        source: """
          typedef void (^block_t)(void);
          extern void *_Block_copy(const void *);
          __attribute__((visibility("default"))) void *make(int n) {
            block_t inner = (block_t)_Block_copy(^{ (void)n; });
            return _Block_copy(^{ inner(); });
          }
          """))
    typealias Make = @convention(c) (Int32) -> UnsafeRawPointer
    // SAFETY: as above.
    let make = unsafe try unsafeBitCast(library.address(of: "make"), to: Make.self)
    let captures = unsafe Block(unsafePointer: make(1)).captures
    XCTAssertEqual(captures.map(\.ownership), [.unknown])
    XCTAssertEqual(captures.map(\.name), ["captures"])
  }

  func testTheReferencesOfAnObjectAreListed() throws {
    let (page, other) = (Page(), Page())
    page.next = other
    page.parent = other
    try AssociationKey<Page>("page").set(other, on: page)
    let references = unsafe HeldReference.all(of: page)
    XCTAssertEqual(
      references.map(\.description),
      [
        "next: strong Page", "parent: weak Page", "owner: unmanaged Page",
        "associated value: strong StrongBox<Page>",
      ])
    XCTAssertTrue(references[0].object === other)
    XCTAssertTrue(references[1].object === other)
    XCTAssertNil(references[2].object)
  }
}
