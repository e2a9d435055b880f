// Blocks hooked while libdispatch has them; its C functions are called by type encodings.
// SAFETY, for the whole file: the signatures are those of libdispatch's headers.
import BlockRuntime
import Dispatch
import Synchronization

func dispatch(_ name: String, _ signature: String) throws -> CFunction {
  try unsafe CFunction(symbol: "dispatch_\(name)", library: "libdispatch.so", signature: signature)
}

/// Sendable, as it runs elsewhere: other closures of a main.swift belong to the main actor.
typealias Work = @convention(block) @Sendable () -> Void
let none: OpaquePointer? = nil
let queue: OpaquePointer = unsafe try dispatch("queue_create", "^v*^v")("work", none)
let group: OpaquePointer = unsafe try dispatch("group_create", "^v")()

// dispatch_apply calls one block from all processors. A hook changes one call, and skips another.
let squares = Mutex<[Int]>([])
let square: @convention(block) @Sendable (Int) -> Void = { n in squares.withLock { $0 += [n * n] } }
let hook = try Block(square).hook { call in
  let index = try call.argument(1, as: Int.self)
  if index == 0 { try call.setArgument(1, 100) }
  if index != 7 { try call.proceed() }
}
unsafe try dispatch("apply", "vQ^v@?")(8, none, Block(square))
print("squares:", squares.withLock { $0.sorted() })
hook.remove()

// What waits in a queue is hooked there: libdispatch has the block itself, not a copy.
let work: Work = { print("  the work of the group") }
let isDone = DispatchSemaphore(value: 0)
let done: Work = {
  print("  the group is done")
  isDone.signal()
}
unsafe try dispatch("suspend", "v^v")(queue)
unsafe try dispatch("group_async", "v^v^v@?")(group, queue, Block(work))
unsafe try dispatch("group_notify", "v^v^v@?")(group, queue, Block(done))
try Block(work).hook(.before) { _ in print("before the work") }
try Block(done).hook(.after) { _ in print("after the group") }
unsafe try dispatch("resume", "v^v")(queue)
isDone.wait()

// A work item is a block of libdispatch's own around the one that it runs, and that is hooked.
let last: Work = { print("  the work item") }
let item: UnsafeRawPointer = unsafe try dispatch("block_create", "^vQ@?")(0, Block(last))
try unsafe Block(unsafePointer: item).hook { call in
  print("instead of it, and once more:")
  for _ in 0..<2 { try call.proceed() }
}
unsafe try dispatch("async", "v^v@?")(queue, item)
_ = unsafe try dispatch("block_wait", "q@?Q")(item, UInt64.max, returning: Int.self)
try unsafe CFunction(symbol: "_Block_release", signature: "v^v")(item)

// Where libdispatch takes a function, a closure is one: this one frees itself when it has run.
let context = [1, 2, 3]
let function = unsafe try FunctionPointer.makeOneShot(signature: "v^v") { [context] _ in
  print("a function on the queue:", context)
}
unsafe try dispatch("sync_f", "v^v^v^?")(queue, none, function)
