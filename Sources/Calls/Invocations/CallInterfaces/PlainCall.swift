private import CInvocations.CallMemory

/// Makes a call that uses registers only, with the values in a call's memory.
///
/// Integer and floating-point arguments take registers independently of each other. So a function
/// of at most three integers and two floating-point numbers, in any order, is called as if it took
/// exactly three and two: it does not read the registers of arguments that it does not have.
///
/// This holds for the System V ABI for AMD64 and for AAPCS64; `Processors` has the calls.
@unsafe
@usableFromInline
struct PlainCall {
  /// Which registers are loaded, and where the result is returned.
  @usableFromInline
  enum Form: UInt8 {
    /// The assembly loads all registers that arguments use, and stores all result registers.
    case wide
    /// Five registers; the result is in the integer register, or there is none.
    case narrow
    /// Five registers; the result is in the floating-point register.
    case narrowFloat
  }

  @usableFromInline let form: Form
  @usableFromInline let floats: UInt32
  @usableFromInline let wide:
    @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer, UInt32) -> Void

  init(_ form: Form, floats: UInt32) {
    // SAFETY: the assembly is not called here.
    unsafe self.form = form
    unsafe self.floats = floats
    unsafe wide = unsafe cbr_call_registers
  }

  /// The same call, with none of the thread's calls of hooked functions ignored meanwhile.
  init(unguarded call: PlainCall) {
    // SAFETY: the functions are not called here; each makes the calls of one form.
    unsafe form = .wide
    unsafe floats = unsafe call.floats
    switch unsafe call.form {
    case .wide: unsafe wide = unsafe cbr_call_unguarded
    case .narrow: unsafe wide = unsafe cbr_call_narrow_unguarded
    case .narrowFloat: unsafe wide = unsafe cbr_call_narrow_float_unguarded
    }
  }
}
