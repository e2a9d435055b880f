#if arch(arm64)
extension PlainCall {
  /// Calls a function, and stores its result in the memory.
  ///
  /// Specification: AAPCS64, 6.8 and 6.9.
  ///
  /// ## Safety
  /// `code` must be a function of the signature that this call was made for, and `memory` must be
  /// laid out by that signature's plan.
  @_transparent
  @usableFromInline
  func callAsFunction(_ code: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer) {
    // The offsets are those of aarch64/CBRCallMemory.h, which checks them. The code uses words,
    // because loads of bytes need 200 bytes more of stack when they are not optimised.
    // SAFETY: the caller vouches for the code and the memory; in a narrow form the code has at most
    // the arguments that are passed, and returns at most one register.
    let integers = unsafe memory.assumingMemoryBound(to: Int.self)
    let floats = unsafe memory.assumingMemoryBound(to: Double.self)
    switch unsafe form {
    case .narrow:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Int
      unsafe integers[26] = unsafe unsafeBitCast(code, to: Function.self)(
        integers[0], integers[1], integers[2], floats[10], floats[12])
    case .narrowFloat:
      typealias Function = @convention(c) (Int, Int, Int, Double, Double) -> Double
      unsafe floats[28] = unsafe unsafeBitCast(code, to: Function.self)(
        integers[0], integers[1], integers[2], floats[10], floats[12])
    case .wide:
      unsafe wide(memory, code, self.floats)
    }
  }
}

extension ScalarCall {
  /// The size of the registers in a call's memory, in bytes, and of those for arguments, in words.
  @inlinable static var registerBytes: Int { 288 }
  @inlinable static var argumentWords: Int { 26 }
}
#endif
