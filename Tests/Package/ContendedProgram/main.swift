// A program as a user has it, whose threads want the library's locks at once: what it links knows
// nothing of the tests. Built with ThreadSanitizer it prints what that reports.
import BlockRuntime
import CallMemoization
import CallTracing
import Dispatch
import SymbolInterposing

final class Document: KeyValueObservable, MessageReceiver, @unchecked Sendable {
  // SAFETY: each thread has its own.
  @Observed var title = ""
  static var methods: MethodTable {
    MethodTable(Document.self) { Method("open:") { (_: Document, page: Int) in page } }
  }
}

let rounds = 300
let block = try Block(signature: "i@?i") { call in
  try call.setResult(call.argument(1, as: Int32.self) + 1)
}
let installed = try block.install(.memoizing(limits: MemoLimits(count: 10)))
let memo = installed.handle
let buffer = TraceBuffer()
let tracer = Tracer(buffer)
try block.install(.tracing(with: tracer))
let note = AssociationKey<Int>("note")
let shared = Document()
let debounced = Debouncer<Int>(delay: .milliseconds(1)) { _ in }

@Sendable func work(_ thread: Int) throws {
  let document = Document()
  document.observe(\.title) { _, _ in }
  for round in 0..<rounds {
    let own = try block.hook([.before, .after], name: "\(thread)") { _ in }
    let _: Int32 = try block.call(Int32(round % 20))
    own.remove()
    try note.set(round, on: shared)
    document.title = "\(round)"
    _ = try document.send("open:", round, returning: Int.self)
    let hook = try Document.target("open:").hook(.before, when: .once) { _ in }
    hook.remove()
    debounced(round)
    let pointer = try FunctionPointer(signature: "ii") { call in try call.setResult(Int32(1)) }
    withExtendedLifetime(pointer) {}
    let delayed = DelayTimer.shared.perform(after: .milliseconds(round % 3)) {}
    if round % 2 == 0 { delayed.cancel() }
    _ = try MethodSignature(parsing: "v@?\(["i", "d", "q"][round % 3])")
  }
}

DispatchQueue.concurrentPerform(iterations: 8) { thread in
  do { try work(thread) } catch { print("thread \(thread):", error) }
}
tracer.close()
installed.hook.remove()
print("done")
