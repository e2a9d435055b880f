#if arch(arm64)
internal import CBlockRuntimeFFI
internal import TypeEncodings

// Specification: AAPCS64, 6.8.2.

extension ForeignTypes {
  // SAFETY: the result and its elements are static or owned by this value.
  /// The libffi type of an argument that is no scalar; nil if it is empty and not passed.
  mutating func record(
    argument encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type>? {
    switch try PassingClass(encoding, layout) {
    case .ignored: return nil
    case .integers(let count, _):
      return unsafe makeStructure(layout, .init(repeating: cffi_type_uint64(), count: count))
    case .floats(let count, let member):
      return unsafe makeStructure(layout, .init(repeating: type(of: member), count: count))
    case .reference:
      // libffi passes records of more than 16 bytes by reference, and only copies them. It aligns a
      // reference on the stack as the record (libffi 3.5, `allocate_to_stack`).
      return unsafe makeStructure(
        layout, .init(repeating: cffi_type_uint64(), count: 3),
        alignment: MemoryLayout<UInt>.alignment)
    }
  }

  // SAFETY: as for arguments.
  /// The libffi type of a result that is no scalar; `void` for an empty one.
  mutating func record(
    result encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type> {
    unsafe try record(argument: encoding, layout) ?? cffi_type_void()
  }

  // SAFETY: libffi's own types are static.
  private func type(of member: FloatMember) -> UnsafeMutablePointer<ffi_type>? {
    switch member {
    case .float: unsafe cffi_type_float()
    // Vectors are refused before.
    case .double, .halfVector: unsafe cffi_type_double()
    case .quad, .vector: unsafe cffi_type_longdouble()
    }
  }
}

/// The general registers that the arguments of a call have taken so far, for calls that libffi
/// makes.
struct ArgumentRegisters {
  private var integers = 0

  /// Begins a call; the address of a result in memory has a register of its own.
  init(returnsThroughMemory: Bool) {}

  /// Takes the registers of one argument.
  ///
  /// - Returns: How the argument is passed to libffi, which does not know that records and integers
  ///   of 16 bytes, if they are aligned to these, begin at an even register (libffi 3.4.4,
  ///   `ffi_call_int`).
  /// - Throws: `unsupportedType`.
  mutating func take(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> ForeignArgumentForm {
    var form = ForeignArgumentForm.whole
    let count: Int
    switch try PassingClass(encoding, layout) {
    case .ignored, .floats: return .whole
    case .reference: count = 1
    case .integers(let needed, let isEven):
      count = needed
      if isEven, integers % 2 == 1 {
        integers += 1
        form = .afterPadding
      }
    }
    integers = integers + count <= 8 ? integers + count : 8
    return form
  }
}
#endif
