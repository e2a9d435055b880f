private import CInvocations.CallImage

// SAFETY, for the whole file: whoever makes a call vouches for the code and the image.

/// A call that needs registers only, made out of an image.
///
/// Integer and floating-point arguments take registers independently of each other. So code that takes
/// at most three integers and two floating-point numbers, in whatever order, is called as if it took
/// exactly these: what it does not take it does not read.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
@unsafe
@usableFromInline
struct PlainCall {
  /// How many registers are loaded, and where the result comes from.
  @usableFromInline
  enum Form: UInt8 {
    /// All, by the piece of assembly.
    case wide
    /// Few; the result is in the integer register, or there is none.
    case narrow
    /// Few; the result is in the floating-point register.
    case narrowFloat
  }

  @usableFromInline let form: Form
  @usableFromInline let floats: UInt32
  @usableFromInline let wide:
    @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer, UInt32) -> Void

  init(_ form: Form, floats: UInt32) {
    unsafe self.form = form
    unsafe self.floats = floats
    unsafe wide = unsafe cbr_call_registers
  }

  /// Calls code; its result is then in the image.
  @_transparent
  @usableFromInline
  func callAsFunction(_ code: UnsafeRawPointer, _ image: UnsafeMutableRawPointer) {
    // The offsets are those of CBRCallImage.h, which checks them. Pointers to words, rather than loads
    // of bytes, which in unoptimised code take 200 bytes of stack more.
    let integers = unsafe image.assumingMemoryBound(to: Int.self)
    let floats = unsafe image.assumingMemoryBound(to: Double.self)
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
      unsafe wide(image, code, self.floats)
    }
  }
}
