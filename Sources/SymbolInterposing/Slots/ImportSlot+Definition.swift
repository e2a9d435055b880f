private import CSymbolInterposing.ImportSlots

// SAFETY, for the whole file: addresses are looked up and compared, and never followed.

extension ImportSlot {
  /// The function that calls through the slot reach if nothing is hooked, nil if there is none.
  ///
  /// It calls the loader.
  var definition: UInt? {
    let function = InterposedAddresses.function(behind: value)
    let address = unsafe UnsafeRawPointer(bitPattern: function)
    guard let address = unsafe address, isBound, unsafe !cbr_is_canonical_stub(address) else {
      return Self.findDefinition(of: symbol, version: version, image)
    }
    return function
  }

  /// The function that the loader binds a symbol to.
  ///
  /// - Parameters:
  ///   - symbol: The name.
  ///   - version: Its version, nil for the default.
  ///   - image: The path of the object that asks; the program if not given.
  /// - Returns: Its address, nil if no loaded object defines it.
  static func findDefinition(
    of symbol: String, version: String?, _ image: String = ImageFilter.program
  ) -> UInt? {
    let path = image == ImageFilter.program ? "" : image
    let found =
      if let version {
        unsafe cbr_find_definition(symbol, version, path)
      } else {
        unsafe cbr_find_definition(symbol, nil, path)
      }
    return unsafe found.map { UInt(bitPattern: $0) }
  }
}
