import BlockRuntime
import CallMemoization
import Measuring

/// A block called by C: not hooked, and hooked in every way.
enum HookRows {
  static var all: [Row] {
    [
      .callingBlock("block.direct") { _ in },
      .callingBlock("hook.none") { add in
        try add.block.hook { call in try call.proceed() }.remove()
      },
      .callingBlock("hook.libffi") { try $0.hookByLibffi() },
      .callingBlock("hook.proceed") { add in
        try add.block.hook(.instead, onError: handlerFailed) { call in try call.proceed() }
      },
      .callingBlock("hook.readArguments") { add in
        try add.block.hook(.instead, onError: handlerFailed) { call in
          let first = try call.argument(1, as: Int32.self)
          let second = try call.argument(2, as: Double.self)
          guard first >= 0, second == Sums.second else { throw WrongArguments() }
          try call.proceed()
        }
      },
      .callingBlock("hook.typed") { add in
        try add.block.replace(with: AddBlock().block)
      },
      .callingBlock("hook.wrap") { add in
        try add.block.wrap { (original: @escaping AddBlock.Add) -> AddBlock.Add in
          { original($0, $1) }
        }
      },
      .callingBlock("hook.every") { add in
        try add.block.hook(.before, when: .every(1000), onError: handlerFailed) { _ in }
      },
      .callingBlock("hook.skippedInTask") { add in
        try add.block.hook(.before, when: .inTask(HookTasks()), onError: handlerFailed) { _ in }
      },
      .callingBlock("hook.before") { add in
        try add.block.hook(.before, onError: handlerFailed) { _ in }
      },
      .callingBlock("hook.variadic") { add in
        try add.block.variadic.hook(.before, onError: handlerFailed) { _ in }
      },
      .callingBlock("hook.after") { add in
        try add.block.hook(.after, onError: handlerFailed) { call in
          guard try call.result(as: Int32.self) >= 0 else { throw WrongArguments() }
        }
      },
      .callingBlock("hook.three") { add in
        try add.block.hook(.before, onError: handlerFailed) { _ in }
        try add.block.hook(.instead, onError: handlerFailed) { call in try call.proceed() }
        try add.block.hook(.after, onError: handlerFailed) { _ in }
      },
      .callingBlock("hook.mixed") { add in
        try add.block.hook(.instead, onError: handlerFailed) { call in try call.proceed() }
        try add.block.wrap { (original: @escaping AddBlock.Add) -> AddBlock.Add in
          { original($0, $1) }
        }
      },
      Row("hook.wide", baseline: "hook.proceed", expected: Sums.add) {
        let block = try Block.wide()
        try block.hook(onError: handlerFailed) { call in try call.proceed() }
        return { block.sum(callingWide: $0) }
      },
      // Every result is kept: the loop has 1024 different first arguments.
      .callingBlock("hook.memoized") { add in
        try add.block.install(.memoizing(limits: MemoLimits(count: 2048)))
      },
      Row("install.remove", baseline: "call.direct", expected: Sums.count) {
        let block = try AddBlock().block
        return { iterations in
          var removed = 0
          for _ in 0..<iterations {
            let hook = try block.hook { call in try call.proceed() }
            removed += hook.remove() ? 1 : 0
          }
          return removed
        }
      },
    ]
  }

  private struct WrongArguments: Error {}
}
