import BlockHooks
import CallTracing
import XCTest

final class TracedNameTests: XCTestCase {
  func testClosuresAreNamedByWhereTheyAreWritten() throws {
    let rows = [
      "closure #1 (Swift.Int32) -> Swift.Int32 in HookABlock": "HookABlock › closure #1",
      "partial apply forwarder for closure #2 () -> () in closure #1 () -> () in static "
        + "Shop.Cart.(add in _0FF491ADBF8492ADAA828CFF4DD33D6D)(item: Swift.Int) throws -> ()":
        "Cart.add › closure #1 › closure #2",
      "implicit closure #3 @Sendable () -> () in Shop.Cart.map<A, B>(_: (A) -> B) -> ()":
        "Cart.map › closure #3",
      "closure #1 () -> () in (extension in Shop):Dispatch.DispatchQueue.buy() -> ()":
        "DispatchQueue.buy › closure #1",
      "closure #1 () -> Swift.Int in variable initialization expression of Shop.Cart.total : Swift.Int":
        "Cart.total › closure #1",
      "closure #1 () -> () in Shop.Cart.total.getter : Swift.Int": "Cart.total.getter › closure #1",
      "__main_block_invoke_2": "__main_block_invoke_2",
      "block v16@?0@8": "block v16@?0@8",
      "Swift.Array.map in the sun": "Array.map in the sun",
      "MySwift.Array": "MySwift.Array",
    ]
    for (title, short) in rows {
      let name = TracedName(title: title, image: "/bin/shop", signature: "v8@?0")
      XCTAssertEqual(name.short, short)
    }
  }
}
