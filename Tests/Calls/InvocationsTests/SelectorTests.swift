import CInvocations
import Invocations
import XCTest

/// Selectors are found by their texts, wherever these are.
final class SelectorTests: XCTestCase {
  private func literal(_ text: UnsafeMutablePointer<UInt8>, _ length: Int) -> String {
    // SAFETY: the selector's text is a C string, which is never freed.
    unsafe String(
      cString: cbr_selector_literal(text, length).assumingMemoryBound(to: CChar.self))
  }

  /// An image is unloaded, and another one has its literals at the same addresses.
  func testATextThatChangesAtItsAddressIsAnotherSelector() {
    for length in 0..<40 {
      // SAFETY: the memory has `length` bytes and lives until the end of the iteration.
      let text = UnsafeMutablePointer<UInt8>.allocate(capacity: length + 1)
      defer { unsafe text.deallocate() }
      unsafe text.initialize(repeating: UInt8(ascii: "a"), count: length + 1)
      let name = String(repeating: "a", count: length)
      XCTAssertEqual(unsafe literal(text, length), name)
      for index in 0..<length {
        unsafe text[index] = UInt8(ascii: "b")
        var changed = Array(name)
        changed[index] = "b"
        XCTAssertEqual(unsafe literal(text, length), String(changed))
        unsafe text[index] = UInt8(ascii: "a")
        XCTAssertEqual(unsafe literal(text, length), name)
      }
    }
  }

  func testEqualTextsAreOneSelector() {
    XCTAssertEqual("add:to:" as Selector, Selector("add:to:"))
    XCTAssertEqual("a" as Selector, Selector("a"))
    XCTAssertEqual("weather:changed:from:" as Selector, Selector("weather:changed:from:"))
    XCTAssertNotEqual("add:to:" as Selector, Selector("add:to"))
  }
}
