#if Spans || Everything
import Dispatch
import SymbolInterposing
import TraceSpans
import Tracing

// Sends blocks whose service context travels with them, and prints what arrives.

private enum NameKey: ServiceContextKey { typealias Value = String }

private let queue = DispatchQueue(label: "com.example.context")

private func printContext() { print(ServiceContext.current?[NameKey.self] ?? "none") }

/// Runs a closure with a context of a name.
private func with(_ name: String, _ body: () -> Void) {
  var context = ServiceContext.topLevel
  context[NameKey.self] = name
  ServiceContext.withValue(context) { body() }
}

@inline(never)
private func sendBlock() { queue.async { printContext() } }

@inline(never)
private func sendItem() { queue.async(execute: DispatchWorkItem { printContext() }) }

@inline(never)
private func sendNothingAlong() { queue.async { printContext() } }

private let carrying = try EverySubmission.carryServiceContext()
for name in ["first", "second"] {
  with(name) {
    sendBlock()
    sendItem()
  }
}
sendNothingAlong()
queue.sync {}
carrying.remove()
with("late") { sendBlock() }
queue.sync {}
#endif
