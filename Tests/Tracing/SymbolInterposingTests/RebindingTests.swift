import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions and slots are
// known.

/// Slots that somebody else leads to code of the same image, as programs do with fishhook and
/// plthook.
final class RebindingTests: XCTestCase {
  private struct Link {
    let name: String

    /// Also the linker's name in `-fuse-ld`.
    let linker: String
    let options: [String]

    /// Whether its slots lead to the loader until their first call.
    var isLazy = true
  }

  /// How clients are linked.
  private static let links =
    [
      Link(name: "bfd", linker: "bfd", options: ["-Wl,-z,lazy"]),
      Link(name: "gold", linker: "gold", options: ["-Wl,-z,lazy"]),
      Link(name: "lld", linker: "lld", options: ["-Wl,-z,lazy"]),
      Link(name: "mold", linker: "mold", options: ["-Wl,-z,lazy"]),
      Link(name: "now", linker: "lld", options: ["-Wl,-z,now,-z,norelro"], isLazy: false),
    ] + landingLinks

  /// With landing pads in the code that the slots lead to.
  private static var landingLinks: [Link] {
    #if arch(arm64)
    [
      Link(
        name: "landing_bfd", linker: "bfd",
        options: ["-mbranch-protection=standard", "-Wl,-z,force-bti,-z,lazy"]),
      Link(
        name: "landing_lld", linker: "lld",
        options: ["-mbranch-protection=standard", "-Wl,-z,force-bti,-z,lazy"]),
    ]
    #else
    [
      Link(
        name: "landing_bfd", linker: "bfd",
        options: ["-fcf-protection=branch", "-Wl,-z,ibtplt,-z,lazy"]),
      Link(
        name: "landing_lld", linker: "lld",
        options: ["-fcf-protection=branch", "-Wl,-z,force-ibt,-z,lazy"]),
    ]
    #endif
  }

  /// The links whose linkers are here and link for this processor.
  private func links(_ victims: Victims) throws -> [Link] {
    let linkers = Set(Self.links.map(\.linker)).filter { linker in
      (try? victims.files.compile("trial_\(linker)", ["-fuse-ld=\(linker)"])) != nil
    }
    XCTAssertTrue(linkers.contains("lld"))
    return Self.links.filter { linkers.contains($0.linker) }
  }

  /// Makes a client that calls the function, and does not take its address.
  private func client(_ victims: Victims, _ link: Link) throws -> Client {
    try victims.client(
      link.name, ["-fuse-ld=\(link.linker)"] + link.options, takesAddress: false)
  }

  /// The slot that a client calls through.
  private func slot(_ victims: Victims, _ client: Client) throws -> ImportSlot {
    try XCTUnwrap(
      ImportSlot.all(of: victims.twice, in: .only(client.path)).first(where: \.isCall))
  }

  /// Leads a client's calls to a function of its own, as fishhook does.
  private func rebind(_ victims: Victims, _ client: Client) throws {
    let place = unsafe try UnsafeMutablePointer<UInt>(
      bitPattern: slot(victims, client).address)
    unsafe try XCTUnwrap(place).pointee = client.instead
  }

  func testSlotsAreUnboundUntilTheirFirstCallWhoeverLinkedThem() throws {
    let victims = try Victims(self, "unbound")
    for link in try links(victims) {
      let client = try client(victims, link)
      XCTAssertEqual(try slot(victims, client).isBound, !link.isLazy, link.name)
      XCTAssertEqual(client(1), 3, link.name)
      XCTAssertTrue(try slot(victims, client).isBound, link.name)
    }
  }

  func testAFunctionOfTheImagesOwnStaysInItsSlotWhateverIsHooked() throws {
    let victims = try Victims(self, "rebound")
    let other = try victims.client("other")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    for link in try links(victims) {
      let client = try client(victims, link)
      try rebind(victims, client)
      XCTAssertTrue(try slot(victims, client).isBound, link.name)
      XCTAssertEqual(client(1), 1001, link.name)

      let hook = try twice.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + 100)
      }
      XCTAssertEqual(other(1), 103, link.name)
      XCTAssertEqual(client(1), 1001, "\(link.name), hooked")
      hook.remove()
      XCTAssertEqual(other(1), 3, link.name)
      XCTAssertEqual(client(1), 1001, "\(link.name), no more hooked")
    }
  }

  func testARebindingOverAHookOutlivesEveryHook() throws {
    let victims = try Victims(self, "over")
    let other = try victims.client("other")
    for link in try links(victims) {
      let client = try client(victims, link)
      let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
      let hooks = try (0..<2).map { round in
        let hook = try twice.hook(.after) { call in
          try call.setResult(call.result(as: Int32.self) + 100)
        }
        if round == 0 { try rebind(victims, client) }
        return hook
      }
      XCTAssertEqual(other(1), 203, link.name)
      XCTAssertEqual(client(1), 1001, link.name)
      for hook in hooks { hook.remove() }
      XCTAssertEqual(client(1), 1001, link.name)
      client.unload()
    }
  }

  func testWhatIsReboundIsHookedWhereItIsMeantAndGivenBack() throws {
    let victims = try Victims(self, "meant")
    let other = try victims.client("other")
    let client = try victims.client("client", ["-Wl,-z,lazy"], takesAddress: false)
    try rebind(victims, client)
    expectError(.ambiguousSymbol) {
      _ = unsafe try ImportedFunction(victims.twice, signature: "ii")
    }
    let library = "\(victims.files.directory)/libmeant.so"
    let functions: [(ImportedFunction, results: [Int32])] = [
      (unsafe try ImportedFunction(victims.twice, library: library, signature: "ii"), [103, 1001]),
      (
        unsafe try ImportedFunction(victims.twice, signature: "ii", in: .only(client.path)),
        [3, 1101]
      ),
    ]
    for (function, results) in functions {
      let hook = try function.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + 100)
      }
      XCTAssertEqual([other(1), client(1)], results)
      hook.remove()
      XCTAssertEqual([other(1), client(1)], [3, 1001])
    }
  }
}
