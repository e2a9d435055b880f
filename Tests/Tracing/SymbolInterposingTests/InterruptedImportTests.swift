import BlockHooks
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions are compiled here.

/// Calls of interposed functions that a signal interrupts at each of their instructions.
final class InterruptedImportTests: XCTestCase {
  func testInterposedFunctionsInEachPosition() throws {
    let victims = try Victims(self, "interrupted")
    let client = try victims.client()
    for positions in [.before, .after, .instead, [.before, .after]] as [HookPositions] {
      try InterruptedScene.expectNothingWrong("\(positions)") {
        try unsafe ImportedFunction(victims.twice, signature: "ii").hook(positions) { call in
          if call.position == .instead { try call.proceed() }
        }
        return InterruptedScene(adding: 1) { Int(client(Int32($0))) - $0 }
      }
    }
  }
}
