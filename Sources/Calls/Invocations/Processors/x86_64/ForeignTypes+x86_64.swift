#if arch(x86_64)
internal import CBlockRuntimeFFI
internal import TypeEncodings

// Specification: System V ABI, AMD64 supplement, 3.2.3.

extension ForeignTypes {
  // SAFETY: the result and its elements are static or owned by this value.
  /// The libffi type of an argument that is no scalar; nil if it is empty and not passed.
  mutating func record(
    argument encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type>? {
    switch try PassingClass(encoding, layout) {
    case .ignored:
      return nil
    case .registers(let classes):
      return unsafe try structure(of: classes, layout, encoding)
    case .memory where layout.size > 16:
      return unsafe makeStructure(
        layout, [cffi_type_uint64(), cffi_type_uint64(), cffi_type_uint64()])
    case .memory where layout.size == 16 && layout.alignment == 16:
      return unsafe cffi_type_longdouble()
    case .memory:
      throw InvocationError(
        .unsupportedType, "\(encoding) is passed on the stack in an unusual place")
    }
  }

  // SAFETY: as for arguments.
  /// The libffi type of a result that is no scalar; `void` for an empty one.
  mutating func record(
    result encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type> {
    switch try PassingClass(encoding, layout) {
    case .ignored:
      return unsafe cffi_type_void()
    case .registers(let classes):
      return unsafe try structure(of: classes, layout, encoding)
    case .memory:
      // libffi passes a hidden pointer for more than 16 bytes; it does not use the size otherwise.
      var large = layout
      large.size = max(layout.size, 24)
      return unsafe makeStructure(
        large, [cffi_type_uint64(), cffi_type_uint64(), cffi_type_uint64()])
    }
  }

  // SAFETY: the elements are static.
  /// A structure whose groups of eight bytes have the given classes.
  private mutating func structure(
    of classes: [EightbyteClass], _ layout: TypeLayout, _ encoding: TypeEncoding
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type> {
    if classes == [.x87, .x87Up] { return unsafe cffi_type_longdouble() }
    var elements: [UnsafeMutablePointer<ffi_type>?] = unsafe []
    for eightbyte in classes {
      switch eightbyte {
      case .integer: unsafe elements.append(cffi_type_uint64())
      case .sse: unsafe elements.append(cffi_type_double())
      default:
        throw InvocationError(
          .unsupportedType, "\(encoding) has eight bytes of padding only; pass a pointer to it")
      }
    }
    return unsafe makeStructure(layout, elements)
  }
}

/// The registers that the arguments of a call have taken so far, for calls that libffi makes.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
struct ArgumentRegisters {
  private var integer = 0
  private var sse = 0

  /// Begins a call; a hidden result pointer takes the first register.
  init(returnsThroughMemory: Bool) { integer = returnsThroughMemory ? 1 : 0 }

  /// Takes the registers of one argument, or none if they do not suffice for all of it.
  ///
  /// - Returns: How the argument is passed to libffi: a record of an integer and a floating-point
  ///   half is copied whole to the last integer register, and so overwrites the first
  ///   floating-point one (libffi 3.4.4, `ffi_call_int`), unless it is passed in halves.
  /// - Throws: `unsupportedType`.
  mutating func take(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> ForeignArgumentForm {
    guard case .registers(let classes) = try PassingClass(encoding, layout),
      !classes.contains(.x87)
    else { return .whole }
    let integers = classes.count { $0 == .integer }
    let floats = classes.count { $0 == .sse }
    guard integer + integers <= 6, sse + floats <= 8 else { return .whole }
    defer {
      integer += integers
      sse += floats
    }
    return classes == [.integer, .sse] && integer == 5 && sse > 0 ? .halves : .whole
  }
}
#endif
