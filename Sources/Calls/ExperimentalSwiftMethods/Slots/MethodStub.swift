private import CExperimentalSwiftMethods.SwiftMethods
internal import Invocations
internal import LoadedClasses

/// Code that turns calls of a Swift method into calls of a C function, or the reverse.
@safe
final class MethodStub: @unchecked Sendable {
  // SAFETY: the memory is written before the code's address is known, and never afterwards.

  /// The direction of the conversion.
  enum Direction {
    /// The code is a Swift method that calls a C function.
    case intoC
    /// The code is a C function that calls a Swift method.
    case outOfC
  }

  let code: RuntimeAddress

  private let memory: UnsafeMutablePointer<cbr_swift_method>
  private let stub: FunctionStub

  /// - Parameters:
  ///   - direction: The direction of the conversion.
  ///   - shape: The method's type.
  ///   - target: The function that is called.
  /// - Throws: `unsupportedPlatform`, `noExecutableMemory`.
  ///
  /// ## Safety
  /// The target must be of that type and direction while the code may be entered.
  @unsafe
  init(
    _ direction: Direction, _ shape: MethodShape, target: RuntimeAddress
  ) throws(SwiftMethodError) {
    guard let code = unsafe cbr_code_of_swift_method(direction == .intoC) else {
      throw SwiftMethodError(
        .unsupportedPlatform, "Swift methods are called as C functions on x86-64 and AArch64 only")
    }
    let masks = shape.integerMasks
    // SAFETY: the memory is initialised before the stub refers to it.
    let memory = UnsafeMutablePointer<cbr_swift_method>.allocate(capacity: 1)
    unsafe memory.initialize(
      to: cbr_swift_method(
        code: code, target: target.pointer,
        masks: (masks[0], masks[1], masks[2], masks[3], masks[4]), result_mask: shape.resultMask))
    guard let stub = unsafe FunctionStub(leadingTo: memory) else {
      unsafe memory.deallocate()
      throw SwiftMethodError(
        .noExecutableMemory, "the system refuses executable memory; see ExecutableMemory.support")
    }
    self.stub = stub
    unsafe self.memory = unsafe memory
    self.code = unsafe RuntimeAddress(stub.code)
  }

  deinit { unsafe memory.deallocate() }
}
