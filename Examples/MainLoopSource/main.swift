// GLib's main loop runs Swift closures: an event source of our own, a timeout, idle callbacks.
import BlockRuntime
import Synchronization

/// What a closure keeps, to see when GLib lets go of it.
final class Witness: Sendable {
  let name: String

  init(_ name: String) { self.name = name }

  deinit { print("  \(name) freed") }
}

let glib = try GLib()
let loop = try glib.makeLoop()

// The source's events are lines that somebody queues; it ends with the line "end".
let lines = Mutex(["one", "two"])

func addSource() throws {
  let witness = Witness("source")
  try glib.addSource(isReady: { lines.withLock { !$0.isEmpty } }) {
    let line = lines.withLock { $0.removeFirst() }
    print("  \(witness.name): \(line)")
    guard line == "end" else { return true }
    try addIdle("idle again") { try loop.quit() }
    return false
  }
}

// Three ticks; the last one queues more lines, and the loop asks the source again.
let count = Atomic(0)

func addTimeout() throws {
  let witness = Witness("timeout")
  try glib.every(milliseconds: 10) {
    let tick = count.add(1, ordering: .relaxed).newValue
    print("  \(witness.name): \(tick)")
    if tick == 3 { lines.withLock { $0 = ["three", "end"] } }
    return tick < 3
  }
}

// An idle callback runs when no source is ready.
func addIdle(_ name: String, _ body: @escaping @Sendable () throws -> Void) throws {
  let witness = Witness(name)
  try glib.whenIdle {
    print("  \(witness.name)")
    try body()
    return false
  }
}

try addSource()
try addIdle("idle") { try addTimeout() }
print("the loop runs")
try loop.run()
print("the loop has stopped")
