import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming.

/// Calls of hooked Swift methods that a signal interrupts at each of their instructions.
final class InterruptedMethodTests: XCTestCase {
  func testHookedMethodsInEachPosition() throws {
    for positions in [.before, .after, .instead, [.before, .after]] as [HookPositions] {
      try InterruptedScene.expectNothingWrong("\(positions)") {
        let open = made(Open.init)
        unsafe try SwiftClass(Open.self).target("value(_:)").hook(positions) { call in
          if call.position == .instead { try call.proceed() }
        }
        return InterruptedScene(adding: 0) { open.value($0) }
      }
    }
  }
}
