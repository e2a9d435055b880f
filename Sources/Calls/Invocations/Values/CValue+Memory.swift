public import TypeEncodings

extension CValue {
  // SAFETY: throughout, the caller guarantees what is at an address that it passes.

  /// Reads a C value from memory: an element that a pointer argument leads to, for example.
  ///
  /// - Parameters:
  ///   - address: The address of the value.
  ///   - encoding: The value's type. C strings are read up to their end, and objects are retained,
  ///     so a pointer of which nothing is known is better read as `^v`.
  /// - Throws: `unsupportedType` for a type without a size, or with a member of unknown type.
  ///
  /// ## Safety
  /// There must be a value of that type at the address.
  @unsafe
  public init(at address: UnsafeRawPointer, as encoding: TypeEncoding) throws(InvocationError) {
    let place = unsafe UnsafeMutableRawPointer(mutating: address)
    self = unsafe try ValueSlot(inMemory: place, encoding).value()
  }

  /// Writes the value to memory as a C value; if that fails, the memory is as it was.
  ///
  /// - Parameters:
  ///   - address: The address to which the value is written.
  ///   - encoding: The value's type there.
  /// - Returns: The owner of what the memory then points to (a copy of a C string, a block, an
  ///   object), which must live as long; nil if there is none.
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  ///
  /// ## Safety
  /// The memory must be aligned and large enough for the type.
  @unsafe
  public func store(
    at address: UnsafeMutableRawPointer, as encoding: TypeEncoding
  ) throws(InvocationError) -> AnyObject? {
    var kept = KeptValues()
    unsafe try ValueSlot(inMemory: address, encoding).store(value: self, keeping: &kept)
    return kept.owner
  }

  /// Reads a C string, if there is one; memory that cannot be read does no harm.
  ///
  /// No other thread may unmap the memory meanwhile.
  ///
  /// - Parameter address: The address of the string.
  /// - Returns: `.cString`, or `.bytes` if it is not UTF-8; nil if readable memory ends before the
  ///   string does.
  public static func cString(atAddress address: UInt) -> CValue? {
    var address = address
    // SAFETY: the slot is the variable, a pointer that is looked at before it is followed.
    let bytes = unsafe withUnsafeMutableBytes(of: &address) { memory -> [UInt8]? in
      guard let place = memory.baseAddress else { return nil }
      let encoding = TypeEncoding(.primitive(.cString))
      return unsafe (try? ValueSlot(inMemory: place, encoding))?.cStringBytes()
    }
    return bytes.map { CValue(cStringBytes: $0) }
  }
}

extension ValueSlot {
  /// The slot of a value that belongs to no call.
  fileprivate init(
    inMemory address: UnsafeMutableRawPointer, _ encoding: TypeEncoding
  ) throws(InvocationError) {
    let layout = try InvocationError.passing(encoding.layout())
    unsafe self.init(encoding, layout, .memory, at: address)
  }
}
