import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures is consuming.

/// Which calls go through the table, and are seen; optimised code knows some targets beforehand.
final class OptimisationTests: XCTestCase {
  /// Whether a call of `value(_:)` is seen by a hook of a class.
  private func isSeen(_ type: AnyClass, _ call: () -> Int) throws -> Bool {
    let log = Recorder<Int>()
    let hook = unsafe try SwiftClass(type).target("value(_:)").hook(.before) { _ in log.record(1) }
    XCTAssertEqual(call(), 1)
    hook.remove()
    return !log.entries.isEmpty
  }

  #if DEBUG
  private let isOptimised = false
  #else
  private let isOptimised = true
  #endif

  func testCallsFromOtherModulesAreSeen() throws {
    let (open, closed) = (Open(), Public())
    XCTAssertTrue(try isSeen(Open.self) { open.value(1) })
    XCTAssertTrue(try isSeen(Public.self) { closed.value(1) })
  }

  func testCallsOfOpenClassesAreSeenWithinTheirModule() throws {
    XCTAssertTrue(try isSeen(Open.self) { callOfOpen(Open()) })
  }

  /// Optimised code may know the target, as the optimiser finds: then the hook is not run, and the
  /// method is.
  func testCallsOfClassesThatNobodyCanOverrideAreSeenWithinTheirModuleIfNotOptimised() throws {
    let isPublicSeen = try isSeen(Public.self) { callOfPublic(Public()) }
    let isInternalSeen = try isSeen(internalClass()) { callOfInternal() }
    XCTAssertTrue(isOptimised || isPublicSeen && isInternalSeen)
  }

  func testCallsOfObjectsWhoseClassIsKnownAreSeenIfNotOptimised() throws {
    let isNewSeen = try isSeen(Open.self) { callOfNewOpen() }
    XCTAssertTrue(isOptimised || isNewSeen)
    XCTAssertTrue(try isSeen(Open.self) { made { Open() }.value(1) })
  }

  func testPrivateMethodsLeaveOptimisedTables() throws {
    let type = try SwiftClass(Hidden.self)
    guard !isOptimised else {
      for name in ["overridden(_:)", "alone(_:)", "take(_:)"] {
        XCTAssertNil(try? type.method(name))
      }
      return
    }
    expectError(.unsupportedType, "parameter 1 of take(_:)") {
      unsafe try type.target("take(_:)").hook { _ in }
    }
    let hooks = try ["overridden(_:)", "alone(_:)"].map {
      unsafe try type.target($0).hook(.after) { try $0.setResult(3) }
    }
    XCTAssertEqual(made { Hidden() }.overridden(1), 3)
    XCTAssertEqual(made { Hidden() }.alone(1), 1, "called directly even so")
    for hook in hooks { hook.remove() }
  }
}

private class Hidden {
  fileprivate func overridden(_ value: Int) -> Int { value }
  fileprivate func alone(_ value: Int) -> Int { value }
  fileprivate func take(_ other: Hidden) {}
}

private class MoreHidden: Hidden {
  override fileprivate func overridden(_ value: Int) -> Int { value + 1 }
}
