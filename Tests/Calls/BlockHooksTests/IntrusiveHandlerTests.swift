import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

/// What handlers and conditions capture, whose ends use the hooked block.
final class IntrusiveHandlerTests: XCTestCase {
  private struct Subject: Sendable {
    let block: Block

    init() throws {
      let body: @convention(block) (Int) -> Int = { $0 }
      block = try Block(body).copied()
    }

    func hook(_ positions: HookPositions, when conditions: HookConditions = .always) throws {
      let captured = Intruder(1)
      try block.hook(positions, when: conditions) { call in
        withExtendedLifetime(captured) {}
        if positions == .instead { try call.proceed() }
      }
    }
  }

  private static let uses: [(name: String, body: @Sendable (Subject) throws -> Void)] = [
    ("remove one", { _ = $0.block.hooks.first?.remove() }),
    ("remove all", { for hook in $0.block.hooks { hook.remove() } }),
    ("hook before", { try $0.hook(.before) }),
    ("hook instead", { try $0.hook(.instead) }),
    ("hook once", { try $0.hook(.before, when: .once) }),
    (
      "hook where",
      { subject in
        let captured = Intruder(2)
        try subject.hook(
          .after,
          when: .where { _ in
            withExtendedLifetime(captured) {}
            return true
          })
      }
    ),
    ("call", { _ = try $0.block.call(1) as Int }),
    ("read the hooks", { _ = $0.block.hooks.map(\.description) }),
  ]

  func testHandlersAndConditionsMayUseTheBlockWhereverTheyAreFreed() {
    let occasions = expectIntrudersMay(do: Self.uses) { try Subject() }
    XCTAssertEqual(occasions, [.end])
  }
}
