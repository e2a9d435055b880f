import BlockABI
import BlockHooks
import DelayedBlocks
import Dispatch
import Glibc
import Invocations
import MessageForwarding

@MainActor private final class Screen: MessageReceiver {
  var calls = 0
  nonisolated static var methods: MethodTable {
    MethodTable(Screen.self) {
      Method("calls") { (screen: Screen) in MainActor.assumeIsolated { screen.calls } }
        .isolated(to: MainActor.shared)
    }
  }
}

/// Runs closures of the main actor on the main queue, which a worker thread runs from now on.
@MainActor func runTheMainQueue() throws -> Never {
  let screen = Screen()
  let block = try Block({ $0 } as IntBlock)
  try isolated(block).hook(.before) { _ in screen.calls += 1 }
  isolated(DelayTimer.shared).perform(after: .zero) {
    screen.calls += 10
    // In a task the main actor was known before.
    Task {
      screen.calls += 100
      let _: Int32 = try block.call(1)
      DispatchQueue.main.async {
        print("hook: \((try? block.call(1) as Int32) ?? 0)")
        print("calls: \((try? screen.send("calls") as Int) ?? 0)")
        DispatchQueue.global().async {
          print("elsewhere: \((try? screen.send("calls") as Int).map(String.init) ?? "refused")")
          exit(0)
        }
      }
    }
  }
  // Where the block does not run.
  _ = DelayTimer.shared.perform(after: .seconds(30)) { exit(1) }
  dispatchMain()
}
