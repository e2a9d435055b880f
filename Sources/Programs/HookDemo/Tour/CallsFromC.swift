import BlockRuntime
import CDemoBlocks

/// Calls of the tour's blocks by C code and by libdispatch, which do not know about hooks.
extension Exhibits {
  // SAFETY: each C function below calls the block with the types of one exhibit, and the tour
  // passes only that exhibit; `withUnsafePointer` keeps the block alive until the function returns.

  static func callSum(_ block: Block, _ first: Int32, _ second: Int32) -> Int32 {
    unsafe block.withUnsafePointer { unsafe cdemo_call_sum($0, first, second) }
  }

  static func callScaling(_ block: Block, _ value: Int32) -> Int32 {
    unsafe block.withUnsafePointer { unsafe cdemo_call_scaling($0, value) }
  }

  static func callRect(_ block: Block, _ width: Double, _ height: Double) -> CDemoRect {
    unsafe block.withUnsafePointer { unsafe cdemo_call_rect($0, width, height) }
  }

  /// C calls the spelling block with a block that counts its calls.
  static func callSpelling(_ block: Block, _ text: String) -> (length: Int32, visits: Int32) {
    var visits: Int32 = 0
    // SAFETY: the text and the count live for the call as well.
    let length = unsafe block.withUnsafePointer { unsafe cdemo_call_spelling($0, text, &visits) }
    return (length, visits)
  }

  /// libdispatch runs a block on a queue; the function waits for its end.
  static func runAsync(_ block: Block) {
    unsafe block.withUnsafePointer { unsafe cdemo_run_async($0) }
  }

  /// libdispatch runs a block on a queue synchronously.
  static func runSync(_ block: Block) {
    unsafe block.withUnsafePointer { unsafe cdemo_run_sync($0) }
  }

  /// Whether the page that contains a block is writable.
  static func isWritable(_ block: Block) -> Bool {
    unsafe block.withUnsafePointer { unsafe cdemo_is_writable($0) }
  }
}
