private import CExperimentalSwiftMethods.SwiftMethods
internal import Invocations

/// Code that turns calls of a method into calls of a C function, or back.
@safe
final class MethodStub: @unchecked Sendable {
  // SAFETY: the memory is written before the code is known.

  /// Which way the calls go.
  enum Direction {
    /// The code is a Swift method, what it calls a C function.
    case intoC
    /// The other way round.
    case outOfC
  }

  let code: RuntimeAddress

  private let memory: UnsafeMutablePointer<cbr_swift_method>
  private let stub: FunctionStub

  /// - Parameters:
  ///   - direction: Which way the calls go.
  ///   - shape: The method's type.
  ///   - target: What is called.
  /// - Throws: `unsupportedPlatform`, `noExecutableMemory`.
  ///
  /// ## Safety
  /// The target must be of that type while the code may be entered.
  @unsafe
  init(
    _ direction: Direction, _ shape: MethodShape, target: RuntimeAddress
  ) throws(SwiftMethodError) {
    guard let code = unsafe cbr_code_of_swift_method(direction == .intoC) else {
      throw SwiftMethodError(
        .unsupportedPlatform, "Swift methods are called as C functions on x86-64 only")
    }
    let masks = shape.integerMasks
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
