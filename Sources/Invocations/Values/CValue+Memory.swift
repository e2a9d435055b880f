public import TypeEncodings

// SAFETY, for the whole file: whoever gives an address vouches for what lies there.

extension CValue {
  /// Reads a C value from memory: an element that a pointer argument leads to, for example.
  ///
  /// - Parameters:
  ///   - address: Where the value lies.
  ///   - encoding: The value's type. A type of whose pointers nothing is known is better read as `^v`:
  ///     C strings are read up to their end, objects are retained.
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
  ///   - address: Where the value goes.
  ///   - encoding: The value's type there.
  /// - Returns: What must live as long as the memory points to it: a C string's copy, a block, an
  ///   object; nil if there is nothing.
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

  /// Reads a C string, if there is one: memory that cannot be read is no fault.
  ///
  /// The memory must not be unmapped meanwhile by another thread.
  ///
  /// - Parameter address: Where the string begins.
  /// - Returns: `.cString`, or `.bytes` where it is not UTF-8; nil where memory ends before the
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
    let layout: TypeLayout
    do throws(TypeEncodingError) {
      layout = try encoding.layout()
    } catch {
      throw InvocationError(error)
    }
    unsafe self.init(encoding, layout, .memory, at: address)
  }
}
