import TestSupport

/// Generated functions and blocks, compiled, with C callers for each.
@safe
struct CallLibrary: @unchecked Sendable {
  // SAFETY: the functions may be called from any thread, if by one at a time.
  typealias Arguments = UnsafeMutablePointer<UnsafeMutableRawPointer?>

  /// What a call left behind.
  struct Outcome: Equatable {
    /// The digest of the arguments up to each one, as the function saw them.
    let arguments: [UInt64]
    /// The digest of the result; 0 for void.
    let result: UInt64
    /// How often the function ran.
    let calls: UInt64

    /// In words, what differs from what C's own call leaves.
    func difference(from expected: Outcome) -> String {
      if calls != expected.calls { return "it ran \(calls) times" }
      for (index, (ours, theirs)) in zip(arguments, expected.arguments).enumerated()
      where ours != theirs {
        return "argument \(index) differs"
      }
      return "the result differs"
    }
  }

  let signatures: [CSignature]
  private let function: @convention(c) (Int) -> UnsafeRawPointer
  private let makeBlock: @convention(c) (Int) -> UnsafeMutableRawPointer
  private let releaseBlock: @convention(c) (UnsafeMutableRawPointer) -> Void
  private let fill: @convention(c) (Int, Arguments, UInt64) -> Void
  private let callFunction:
    @convention(c) (Int, UnsafeRawPointer, Arguments, UnsafeMutableRawPointer) -> Void
  private let callBlock:
    @convention(c) (Int, UnsafeRawPointer, Arguments, UnsafeMutableRawPointer) -> Void
  private let digestResult: @convention(c) (Int, UnsafeMutableRawPointer) -> UInt64
  private let digestArguments: @convention(c) (Int, Arguments) -> Void
  private let takeSeen: @convention(c) (Int) -> UInt64
  private let takeCalls: @convention(c) () -> UInt64

  /// Compiles the functions and blocks.
  ///
  /// - Throws: `CompilerError`.
  init(_ program: CProgram, _ signatures: [CSignature], compiler: Compiler) throws {
    let library = try compiler.load(CallSource.source(of: program, signatures))
    self.signatures = signatures
    // SAFETY: the types are those of the accessors in the source.
    unsafe function = unsafe try library.function(
      "oracle_function", as: (@convention(c) (Int) -> UnsafeRawPointer).self)
    unsafe makeBlock = unsafe try library.function(
      "oracle_make_block", as: (@convention(c) (Int) -> UnsafeMutableRawPointer).self)
    unsafe releaseBlock = unsafe try library.function(
      "oracle_release", as: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
    unsafe fill = unsafe try library.function(
      "oracle_fill", as: (@convention(c) (Int, Arguments, UInt64) -> Void).self)
    let caller =
      unsafe (@convention(c) (Int, UnsafeRawPointer, Arguments, UnsafeMutableRawPointer) -> Void)
      .self
    unsafe callFunction = unsafe try library.function("oracle_call_function", as: caller)
    unsafe callBlock = unsafe try library.function("oracle_call_block", as: caller)
    unsafe digestResult = unsafe try library.function(
      "oracle_digest_result", as: (@convention(c) (Int, UnsafeMutableRawPointer) -> UInt64).self)
    unsafe digestArguments = unsafe try library.function(
      "oracle_digest_arguments", as: (@convention(c) (Int, Arguments) -> Void).self)
    takeSeen = unsafe try library.function(
      "oracle_take_seen", as: (@convention(c) (Int) -> UInt64).self)
    takeCalls = unsafe try library.function(
      "oracle_take_calls", as: (@convention(c) () -> UInt64).self)
  }

  /// The address of a function.
  @unsafe
  func functionAddress(_ index: Int) -> UnsafeRawPointer { unsafe function(index) }

  /// Runs `body` with a new heap block.
  func withBlock<Result>(
    _ index: Int, _ body: (UnsafeRawPointer) throws -> Result
  ) rethrows -> Result {
    let block = unsafe makeBlock(index)
    defer { unsafe releaseBlock(block) }
    return unsafe try body(block)
  }

  /// Gives the arguments random values, the same ones for the same seed.
  func fillArguments(_ index: Int, _ memory: CaseMemory, seed: UInt64) {
    unsafe fill(index, memory.arguments, seed)
  }

  /// Lets C call a function of a signature.
  ///
  /// ## Safety
  /// There must be a function of the signature at the address.
  @unsafe
  func call(_ index: Int, function: UnsafeRawPointer, _ memory: CaseMemory) {
    unsafe callFunction(index, function, memory.arguments, memory.result)
  }

  /// Lets C call a block of a signature.
  ///
  /// ## Safety
  /// There must be a block of the signature at the address.
  @unsafe
  func call(_ index: Int, block: UnsafeRawPointer, _ memory: CaseMemory) {
    unsafe callBlock(index, block, memory.arguments, memory.result)
  }

  /// The digests of arguments that lie at the given addresses.
  @unsafe
  func digest(_ index: Int, _ addresses: [UnsafeMutableRawPointer]) -> [UInt64] {
    var list = unsafe addresses.map(Optional.some) + [nil]
    unsafe list.withUnsafeMutableBufferPointer { buffer in
      if let first = buffer.baseAddress { unsafe digestArguments(index, first) }
    }
    return signatures[index].arguments.indices.map(takeSeen)
  }

  /// What has been called since the last time.
  func takeOutcome(_ index: Int, _ memory: CaseMemory) -> Outcome {
    Outcome(
      arguments: signatures[index].arguments.indices.map(takeSeen),
      result: unsafe digestResult(index, memory.result), calls: takeCalls())
  }
}
