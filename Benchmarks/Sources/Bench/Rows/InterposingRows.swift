import BlockRuntime
import CBaselines
import Measuring
import SymbolInterposing

// SAFETY, for the whole file: the functions have the signatures that they are given.

/// Functions of the C library that this program calls through its import slots: `labs`, and `malloc` with
/// `free`.
enum InterposingRows {
  static var all: [Row] {
    let (calls, allocations) = (CallCount(), CallCount())
    return [
      Row("interpose.direct", baseline: "call.direct", expected: Sums.first) { { absolutes($0) } },
      Row(
        "interpose.pass", baseline: "interpose.direct", expected: Sums.first,
        during: {
          try hookAbsolute { call in try call.proceed() }.remove()
          return {}
        }, prepare: { { absolutes($0) } }),
      .hooked(
        "interpose.proceed", baseline: "interpose.direct", expected: Sums.first,
        count: { calls.value },
        by: {
          let hook = try hookAbsolute { call in
            calls.add()
            try call.proceed()
          }
          return { hook.remove() }
        }, absolutes),
      Row("malloc.direct", baseline: "call.direct", expected: Sums.count) { { allocate($0) } },
      .hooked(
        "interpose.malloc", baseline: "malloc.direct", expected: Sums.count,
        count: { allocations.value },
        by: {
          let malloc = unsafe try ImportedFunction("malloc", signature: "^vQ", in: .only("*/bench"))
          let hook = try malloc.hook(.before, onError: handlerFailed) { _ in allocations.add() }
          return { hook.remove() }
        }, allocate),
    ]
  }

  private static func absolutes(_ count: Int) -> Int { Int(cbl_call_labs(Int64(count))) }

  private static func allocate(_ count: Int) -> Int { Int(cbl_allocate(Int64(count))) }

  private static func hookAbsolute(_ handler: @escaping HookDefinition.Handler) throws -> Hook {
    let labs = unsafe try ImportedFunction("labs", signature: "qq")
    return try labs.hook(onError: handlerFailed, handler)
  }
}
