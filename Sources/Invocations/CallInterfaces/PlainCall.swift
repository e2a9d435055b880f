private import CBlockRuntime.CallImage

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
  @inlinable
  @inline(__always)
  func callAsFunction(_ code: UnsafeRawPointer, _ image: UnsafeMutableRawPointer) {
    // The offsets are those of CBRCallImage.h, which checks them.
    switch unsafe form {
    case .narrow:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Int
      let result = unsafe unsafeBitCast(code, to: Function.self)(
        image.load(as: Int.self), image.load(fromByteOffset: 8, as: Int.self),
        image.load(fromByteOffset: 16, as: Int.self),
        image.load(fromByteOffset: 48, as: Double.self),
        image.load(fromByteOffset: 56, as: Double.self))
      unsafe image.storeBytes(of: result, toByteOffset: 112, as: Int.self)
    case .narrowFloat:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Double
      let result = unsafe unsafeBitCast(code, to: Function.self)(
        image.load(as: Int.self), image.load(fromByteOffset: 8, as: Int.self),
        image.load(fromByteOffset: 16, as: Int.self),
        image.load(fromByteOffset: 48, as: Double.self),
        image.load(fromByteOffset: 56, as: Double.self))
      unsafe image.storeBytes(of: result, toByteOffset: 128, as: Double.self)
    case .wide:
      unsafe wide(image, code, floats)
    }
  }
}
