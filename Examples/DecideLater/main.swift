// Calls of a block wait for a decision: a test double for code that cannot wait, or a confirmation
// before something is deleted.
import BlockRuntime

typealias Delete = @convention(block) (UnsafePointer<CChar>, Int32) -> Int32

let delete: Delete = { folder, count in
  print("  deleting \(count) mails in \(unsafe String(cString: folder))")
  return count
}

/// The calls that wait.
nonisolated(unsafe) var waiting: [InterceptedCall] = []

let hook = unsafe try Block(delete).install(
  .intercepting(
    returning: -1, when: .where { try $0.argument(2, as: Int32.self) > 10 },
    onError: { print("reported: \(($0 as? HookError)?.code.rawValue ?? "\($0)")") }
  ) { call in
    print("  asking: \(call.arguments)")
    unsafe waiting.append(call)
  })

// The text lives until the call returns; the call that waits has a copy of its own.
print("3 mails:", unsafe delete("Drafts", 3))
print("500 mails:", unsafe delete("Inbox", 500))
print("99 mails:", unsafe delete("Archive", 99))
print("70 mails:", unsafe delete("Sent", 70))

// Once each is decided, by whoever, on whatever thread.
try unsafe waiting[0].proceed()
print("decided:", unsafe waiting[0].state, try unsafe waiting[0].result(as: Int32.self))
try unsafe waiting[1].cancel()
do {
  try unsafe waiting[1].proceed()
} catch {
  print("too late: \(error.code.rawValue)")
}
unsafe waiting.removeAll()
hook.remove()
