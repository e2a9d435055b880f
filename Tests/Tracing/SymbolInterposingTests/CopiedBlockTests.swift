import BlockABI
import BlockHooks
import CFixtures
import Dispatch
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: `_Block_copy` has the given signature; blocks are kept while they are
// used.

/// Makes a block of a closure of this file.
///
/// Not inlined: Swift 6.3 optimises the memory of a block away that is called where it is made.
@inline(never)
private func makeCopied(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// `_Block_copy`, with the hook of every block alone and beside a user's hooks.
final class CopiedBlockTests: XCTestCase {
  private let steps = Recorder<String>()

  private static var filter: BlockFilter {
    var filter = BlockFilter()
    filter.symbols = ["*closure * in *makeCopied*"]
    return filter
  }

  private func hookEvery(recordsCreation: Bool = false) throws -> Hook {
    try EveryBlock(matching: Self.filter, recordsCreation: recordsCreation).hook(.before) {
      [steps] _ in steps.record("block")
    }
  }

  private func copyFunction() throws -> ImportedFunction {
    unsafe try ImportedFunction("_Block_copy", signature: "^v^v")
  }

  private func hookCopies(priority: Int = 0) throws -> Hook {
    try copyFunction().hook(priority: priority) { [steps] call in
      steps.record("copy")
      try call.proceed()
    }
  }

  /// What the making of a block and its call run.
  private func stepsOfABlock() -> [String] {
    let before = steps.entries.count
    XCTAssertEqual(makeCopied(1)(1), 2)
    return Array(steps.entries[before...])
  }

  func testAUsersHookRunsBesideThatOfEveryBlockInEitherOrder() throws {
    for usersIsFirst in [true, false] {
      for usersGoesFirst in [true, false] {
        for priority in [0, .max] {
          var copies = usersIsFirst ? try hookCopies(priority: priority) : nil
          if usersIsFirst { XCTAssertEqual(stepsOfABlock(), ["copy"]) }
          let every = try hookEvery()
          if !usersIsFirst { XCTAssertEqual(stepsOfABlock(), ["block"]) }
          let user = try copies ?? hookCopies(priority: priority)
          copies = nil
          XCTAssertEqual(stepsOfABlock(), ["copy", "block"])
          user.suspend()
          XCTAssertEqual(stepsOfABlock(), ["block"])
          try user.resume()
          XCTAssertEqual(stepsOfABlock(), ["copy", "block"])
          if usersGoesFirst { user.remove() } else { every.remove() }
          XCTAssertEqual(stepsOfABlock(), [usersGoesFirst ? "block" : "copy"])
          user.remove()
          every.remove()
          XCTAssertEqual(stepsOfABlock(), [])
        }
      }
    }
    XCTAssertFalse(ImportSlot.all(of: "_Block_copy").contains(where: \.isHooked))
  }

  func testABlockThatAUsersHookReturnsIsHooked() throws {
    let other = try Block(makeCopied(10))
    let every = try hookEvery()
    let address = unsafe other.withUnsafePointer { UInt(bitPattern: $0) }
    let user = try copyFunction().hook { call in
      let pointer = unsafe UnsafeRawPointer(bitPattern: address)
      unsafe try call.setResult(pointer.map { unsafe fixture_copy($0) })
    }
    let copied = try Block(makeCopied(1))
    let given = unsafe copied.withUnsafePointer { unsafe UInt(bitPattern: fixture_copy($0)) }
    XCTAssertEqual(given, address)
    unsafe fixture_release(UnsafeRawPointer(bitPattern: given))
    user.remove()
    XCTAssertEqual(steps.entries, [])
    XCTAssertEqual(try other.call(1), 11 as Int32)
    XCTAssertEqual(steps.entries, ["block"])
    every.remove()
  }

  func testNoChainRunsWhileTheHookOfEveryBlockIsAlone() throws {
    let every = try hookEvery(recordsCreation: true)
    func chains() throws -> Int { try functionsOfACopy().count { $0.contains("HookChain") } }
    func followers() throws -> Int { try functionsOfACopy().count { $0 == "cbr_copy_and_follow" } }
    XCTAssertEqual(try followers(), 1)
    XCTAssertEqual(try chains(), 0)
    let user = try hookCopies()
    XCTAssertEqual(try followers(), 0)
    XCTAssertGreaterThan(try chains(), 0)
    user.remove()
    XCTAssertEqual(try followers(), 1)
    XCTAssertEqual(try chains(), 0)
    every.remove()
  }

  /// The functions that were being called when a block was copied.
  private func functionsOfACopy() throws -> [String] {
    let block = try Block(makeCopied(1))
    let creation = try XCTUnwrap(EveryBlock.creation(of: block))
    return creation.addresses.compactMap { address in
      let code = unsafe UnsafeRawPointer(bitPattern: address)
      return unsafe code.flatMap { unsafe CodeSymbol(at: $0)?.name }
    }
  }

  func testAUsersHookComesAndGoesWhileOthersCopy() throws {
    let isOver = Atomic(false)
    let copied = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        repeat {
          if makeCopied(1)(1) == 2 { copied.add(1, ordering: .relaxed) }
        } while !isOver.load(ordering: .relaxed)
      }
    }
    for round in 0..<shortened(20) {
      let every = try EveryBlock(matching: Self.filter).hook(.before) { _ in }
      let count = Atomic(0)
      let thread = pthread_self()
      let user = try copyFunction().hook(round % 2 == 0 ? .after : .before) { _ in
        if pthread_equal(thread, pthread_self()) != 0 { count.add(1, ordering: .relaxed) }
      }
      let before = count.load(ordering: .relaxed)
      XCTAssertEqual(makeCopied(1)(1), 2)
      let after = count.load(ordering: .relaxed)
      XCTAssertGreaterThan(after, before)
      if round % 3 == 0 { every.remove() }
      user.removeAndWait()
      let last = count.load(ordering: .relaxed)
      XCTAssertEqual(makeCopied(1)(1), 2)
      XCTAssertEqual(count.load(ordering: .relaxed), last)
      every.remove()
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertGreaterThan(copied.load(ordering: .relaxed), 0)
  }
}
