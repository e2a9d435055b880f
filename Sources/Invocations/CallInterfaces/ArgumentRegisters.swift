internal import TypeEncodings

/// The registers that the arguments of a call have taken so far.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
struct ArgumentRegisters {
  private var integer = 0
  private var sse = 0

  /// Begins a call; a hidden result pointer takes the first register.
  init(returnsThroughMemory: Bool) { integer = returnsThroughMemory ? 1 : 0 }

  /// Takes the registers of one argument, or none if they do not suffice for all of it.
  ///
  /// - Returns: Whether the argument's two halves must be separate arguments for libffi: it copies
  ///   a record of an integer and a floating-point half whole to the last integer register, and so
  ///   overwrites the first floating-point one (libffi 3.4.4, `ffi_call_int`).
  /// - Throws: `unsupportedType`.
  mutating func take(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool {
    #if arch(x86_64)
    guard case .registers(let classes) = try PassingClass(encoding, layout),
      !classes.contains(.x87)
    else { return false }
    let integers = classes.count { $0 == .integer }
    let floats = classes.count { $0 == .sse }
    guard integer + integers <= 6, sse + floats <= 8 else { return false }
    defer {
      integer += integers
      sse += floats
    }
    return classes == [.integer, .sse] && integer == 5 && sse > 0
    #else
    return false
    #endif
  }
}
