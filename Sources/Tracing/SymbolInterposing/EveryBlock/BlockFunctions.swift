internal import BlockABI
internal import BlockHooks
internal import Invocations

/// A function of the blocks runtime or of libdispatch to which blocks are passed.
///
/// Each block passes one of them when it is copied, or is called by libdispatch without a copy.
///
/// Specification: the Block ABI's runtime, libdispatch's headers.
struct BlockFunction {
  /// Where a call of the function has its block.
  enum Place {
    case argument(Int)
    /// The result, which is the block that was copied.
    case result
    /// The memory to which the first argument points, if the last argument says that it holds a
    /// block.
    case destination
  }

  /// How a function sends its block to a queue.
  struct Submission {
    let way: SubmissionWay

    /// The argument that is the queue, or the source that has one.
    let queue: Int
  }

  let symbol: String
  let signature: String
  let place: Place

  /// How the block is sent to a queue; nil if it is not, or if the function may not call it.
  var submission: Submission?

  static let all: [BlockFunction] = [
    BlockFunction(symbol: "_Block_copy", signature: "^v^v", place: .result),
    BlockFunction(symbol: "_Block_object_assign", signature: "v^v^vi", place: .destination),
    BlockFunction(.sync, "v^v^v", queue: 0),
    BlockFunction(.barrierSync, "v^v^v", queue: 0),
    BlockFunction(.asyncAndWait, "v^v^v", queue: 0),
    BlockFunction(.barrierAsyncAndWait, "v^v^v", queue: 0),
    BlockFunction(.apply, "vQ^v^v", queue: 1),
    // These read the code of the block before they copy it.
    BlockFunction(.async, "v^v^v", queue: 0),
    BlockFunction(.barrierAsync, "v^v^v", queue: 0),
    BlockFunction(.after, "vQ^v^v", queue: 1),
    BlockFunction(.groupAsync, "v^v^v^v", queue: 1),
    BlockFunction(.groupNotify, "v^v^v^v", queue: 1),
    BlockFunction(.eventHandler, "v^v^v", queue: 0),
    BlockFunction(.cancelHandler, "v^v^v", queue: 0),
    BlockFunction(.registrationHandler, "v^v^v", queue: 0),
    BlockFunction(.blockNotify, "v^v^v^v", queue: 1),
    BlockFunction(symbol: "dispatch_once", signature: "v^q^v", place: .argument(1)),
    BlockFunction(symbol: "dispatch_block_perform", signature: "vQ^v", place: .argument(1)),
    BlockFunction(symbol: "dispatch_data_apply", signature: "B^v^v", place: .argument(1)),
  ]

  /// The last argument of `_Block_object_assign` for a field that holds a block.
  private static let isBlock: Int32 = 7

  /// The block of a call; nil if it has none, or if the position is too early to know it.
  func block(of call: inout CallFrame) throws(InvocationError) -> UnsafeRawPointer? {
    switch place {
    // SAFETY: the hook was installed with the signature in `all`, in which these are pointers.
    case .argument(let index):
      return unsafe try call.argument(index, as: UnsafeRawPointer?.self)
    case .result:
      return unsafe try call.result(as: UnsafeRawPointer?.self)
    case .destination:
      guard try call.argument(2, as: Int32.self) == Self.isBlock else { return nil }
      // SAFETY: the runtime has stored the copy at the address that is the first argument.
      return unsafe try call.argument(0, as: UnsafeRawPointer?.self)?.load(
        as: UnsafeRawPointer?.self)
    }
  }

  /// The position of a hook at which the block is known.
  var position: HookPositions {
    if case .argument = place { .before } else { .after }
  }

  /// The function, nil if no loaded object defines it.
  ///
  /// - Throws: As the initialiser of `ImportedFunction`, except `symbolNotFound`.
  var imported: ImportedFunction? {
    get throws(InterposingError) {
      try .ofRuntime(
        symbol, signature: signature, in: symbol.hasPrefix("dispatch_") ? .withoutDispatch : .all)
    }
  }
}

extension BlockFunction {
  /// A function that sends the block which follows the argument for the queue or the source.
  private init(_ way: SubmissionWay, _ signature: String, queue: Int) {
    self.init(
      symbol: way.function, signature: signature, place: .argument(queue + 1),
      submission: Submission(way: way, queue: queue))
  }
}

extension ImageFilter {
  /// All images but libdispatch: it calls its functions by its own imports, too, for calls that
  /// were seen.
  package static let withoutDispatch = ImageFilter.excluding("libdispatch.so*")
}
