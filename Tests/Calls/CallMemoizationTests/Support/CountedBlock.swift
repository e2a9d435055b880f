import BlockABI
import Invocations
import TestSupport

/// A block that counts its calls, made from a signature and a handler.
struct CountedBlock {
  let block: Block
  private let calls = Recorder<Void>()

  init(
    _ signature: String, _ body: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws {
    let calls = calls
    block = try Block(signature: signature) { call in
      calls.record(())
      try body(&call)
    }
  }

  /// How often the original ran.
  var count: Int { calls.entries.count }
}
