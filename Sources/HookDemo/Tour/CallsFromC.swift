import BlockRuntime
import CDemoBlocks

// SAFETY, for the whole file: the exhibits are blocks of the signatures that these functions call
// them by.

// SAFETY: each function below hands a block to C code that calls it with the types in its name; the
// tour uses each with blocks of that signature only. The block lives until the call returns.

/// Calls of the tour's blocks by C code and by libdispatch, which know nothing of hooks.
extension Exhibits {
  /// C calls a sum.
  static func callSum(_ block: Block, _ first: Int32, _ second: Int32) -> Int32 {
    unsafe block.withUnsafePointer { unsafe cdemo_call_sum($0, first, second) }
  }

  /// C calls a multiplication.
  static func callScaling(_ block: Block, _ value: Int32) -> Int32 {
    unsafe block.withUnsafePointer { unsafe cdemo_call_scaling($0, value) }
  }

  /// C calls a block that makes a rectangle.
  static func callRect(_ block: Block, _ width: Double, _ height: Double) -> CDemoRect {
    unsafe block.withUnsafePointer { unsafe cdemo_call_rect($0, width, height) }
  }

  /// C calls the spelling block with a block that counts its calls.
  static func callSpelling(_ block: Block, _ text: String) -> (length: Int32, visits: Int32) {
    var visits: Int32 = 0
    let length = unsafe block.withUnsafePointer { unsafe cdemo_call_spelling($0, text, &visits) }
    return (length, visits)
  }

  /// libdispatch runs a block on a queue, and this waits for it.
  static func runAsync(_ block: Block) {
    unsafe block.withUnsafePointer { unsafe cdemo_run_async($0) }
  }

  /// libdispatch runs a block on a queue at once.
  static func runSync(_ block: Block) {
    unsafe block.withUnsafePointer { unsafe cdemo_run_sync($0) }
  }

  /// Whether the page that a block lies in can be written to.
  static func isWritable(_ block: Block) -> Bool {
    unsafe block.withUnsafePointer { unsafe cdemo_is_writable($0) }
  }
}
