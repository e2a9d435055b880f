private import CLoadedImages.ReadableMemory

/// Text of C's `wchar_t`, whose characters are Unicode scalars with glibc.
package enum WideText {
  /// The bytes in UTF-8 of a text up to its zero.
  ///
  /// - Returns: Nil where memory ends before the text does, or at an address that no `wchar_t` has.
  static func bytes(at address: UInt) -> [UInt8]? {
    guard address % 4 == 0, var next = unsafe UnsafePointer<UInt32>(bitPattern: address) else {
      return nil
    }
    var units: [UInt32] = []
    while true {
      // SAFETY: the kernel is asked whether a page can be read.
      if units.isEmpty || UInt(bitPattern: next) % 4096 == 0, unsafe !cbr_is_readable(next) {
        return nil
      }
      let unit = unsafe next.pointee
      guard unit != 0 else { return bytes(units) }
      units.append(unit)
      unsafe next += 1
    }
  }

  /// The bytes in UTF-8 of some characters.
  package static func bytes(_ units: [UInt32]) -> [UInt8] {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: units.map { Unicode.Scalar($0) ?? "\u{FFFD}" })
    return Array(String(text).utf8)
  }
}
