import ObjectLifetimes
import TestSupport
import XCTest

/// Associated values, and what hooks capture, whose ends use the library.
final class IntrusiveValueTests: XCTestCase {
  private struct Subject: Sendable {
    let owner = Owner()
    let space = AssociationSpace("intruders")
    let key: AssociationKey<Intruder>
    let copied: AssociationKey<Intruder>
    let hooks = Recorder<DeinitHook>()

    init() {
      key = AssociationKey("kept", in: space)
      copied = AssociationKey("copied", in: space, copying: { Intruder($0.number) })
    }

    func hook(_ object: Owner) throws {
      let captured = Intruder(3)
      hooks.record(try onDeinit(of: object) { withExtendedLifetime(captured) {} })
    }
  }

  private static let uses: [(name: String, body: @Sendable (Subject) throws -> Void)] = [
    ("set", { try $0.key.set(Intruder(1), on: $0.owner) }),
    ("set a copy", { try $0.copied.set(Intruder(2), on: $0.owner) }),
    ("read", { _ = $0.key.value(of: $0.owner) }),
    ("read or set", { _ = try $0.key.value(of: $0.owner, default: Intruder(4)) }),
    ("remove", { _ = $0.key.remove(from: $0.owner) }),
    ("hook", { try $0.hook($0.owner) }),
    ("remove a space", { $0.space.removeAll(from: $0.owner) }),
    ("remove hooks", { for hook in $0.hooks.entries { hook.remove() } }),
    (
      "end an object",
      { subject in
        let owner = Owner()
        try subject.key.set(Intruder(5), on: owner)
        try subject.hook(owner)
      }
    ),
    ("set again", { try $0.key.set(Intruder(6), on: $0.owner) }),
  ]

  func testValuesAndClosuresMayUseTheLibraryWhereverTheyAreFreed() {
    let occasions = expectIntrudersMay(do: Self.uses) { Subject() }
    XCTAssertEqual(occasions, [.end])
  }
}
