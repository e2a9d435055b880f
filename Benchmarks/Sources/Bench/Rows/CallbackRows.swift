import BlockRuntime
import CBaselines
import Measuring

// SAFETY, for the whole file: the code has `cbl_add`'s type and lives as long as the row.

/// Code made at run time that C calls: its handler reads both arguments and returns their sum.
enum CallbackRows {
  static var all: [Row] {
    [
      .callingFunction("callback.libffi") { try unsafe AddCode(cbl_ffi_add_closure()) },
      .callingFunction("callback.pointer") {
        let pointer = try FunctionPointer(signature: "iid", onError: handlerFailed) { call in
          let first = try call.argument(0, as: Int32.self)
          let second = try call.argument(1, as: Double.self)
          try call.setResult(first &+ (second == Sums.second ? Int32(Sums.second) : 0))
        }
        return try unsafe AddCode(pointer.unsafeAddress, ownedBy: pointer)
      },
      .callingFunction("callback.typed") {
        let add: @convention(block) @Sendable (Int32, Double) -> Int32 = { first, second in
          first &+ (second == Sums.second ? Int32(Sums.second) : 0)
        }
        let pointer = try FunctionPointer(calling: Block(add))
        return try unsafe AddCode(pointer.unsafeAddress, ownedBy: pointer)
      },
    ]
  }
}
