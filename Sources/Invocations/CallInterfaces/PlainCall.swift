private import CInvocations.CallMemory

/// Makes a call that uses registers only, with the values in a call's memory.
///
/// Integer and floating-point arguments take registers independently of each other. So a function
/// of at most three integers and two floating-point numbers, in any order, is called as if it took
/// exactly three and two: it does not read the registers of arguments that it does not have.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
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

  /// Calls a function, and stores its result in the memory.
  ///
  /// ## Safety
  /// `code` must be a function of the signature that this call was made for, and `memory` must be
  /// laid out by that signature's plan.
  @_transparent
  @usableFromInline
  func callAsFunction(_ code: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer) {
    // The offsets are those of CBRCallMemory.h, which checks them. The code uses pointers to words,
    // because loads of bytes need 200 bytes more of stack when they are not optimised.
    // SAFETY: the caller vouches for the code and the memory; in a narrow form the code has at most
    // the arguments that are passed, and returns at most one register.
    let integers = unsafe memory.assumingMemoryBound(to: Int.self)
    let floats = unsafe memory.assumingMemoryBound(to: Double.self)
    switch unsafe form {
    case .narrow:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Int
      unsafe integers[14] = unsafe unsafeBitCast(code, to: Function.self)(
        integers[0], integers[1], integers[2], floats[6], floats[7])
    case .narrowFloat:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Double
      unsafe floats[16] = unsafe unsafeBitCast(code, to: Function.self)(
        integers[0], integers[1], integers[2], floats[6], floats[7])
    case .wide:
      unsafe wide(memory, code, self.floats)
    }
  }
}
