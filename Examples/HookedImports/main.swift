// C functions hooked where they are imported: watched, counted, replaced.
import BlockRuntime
import Glibc
import SymbolInterposing
import Synchronization

// SAFETY, for the whole file: the functions have the signatures that they are given.

@inline(never)
func homeDirectory() -> String {
  unsafe getenv("HOOKED_HOME").map { unsafe String(cString: $0) } ?? "none"
}

// After: this program's calls of getenv print what was asked, what was answered, and who asked.
unsafe setenv("HOOKED_HOME", "/home/hooked", 1)
let environment = unsafe try ImportedFunction(
  "getenv", signature: "*r*", in: .only("*/HookedImports"))
let watch = try environment.hook { call in
  try call.proceed()
  let caller = call.callers(limit: 1).first?.function?.name ?? "?"
  print("getenv(\(call.arguments)) = \(call.resultText ?? "?") for \(caller)")
}
print("home:", homeDirectory())
watch.remove()
print("home, not watched:", homeDirectory())

// Before: the memory that this program asks C for. What the handler itself allocates, the dictionary
// included, is not counted: its calls are not hooked.
@inline(never)
func makeBuffer(_ count: Int) -> UnsafeMutableRawPointer? { unsafe malloc(count) }

let sizes = Mutex<[UInt64: Int]>([:])
let allocation = unsafe try ImportedFunction("malloc", signature: "^vQ")
let counting = try allocation.hook(.before) { call in
  let size = try call.argument(0, as: UInt64.self)
  if size >= 10_000 { sizes.withLock { $0[size, default: 0] += 1 } }
}
let buffers = unsafe [10_000, 20_000, 10_000].map(makeBuffer)
counting.remove()
for (size, count) in sizes.withLock({ $0 }).sorted(by: <) { print("malloc(\(size)): \(count) ×") }
unsafe buffers.forEach { buffer in unsafe free(buffer) }

// Instead: a function of the same type, which the compiler checks, and the hook once more.
let pause = unsafe try ImportedFunction("sleep", signature: "II")
let hurry: @convention(c) (UInt32) -> UInt32 = { seconds in
  print("\(seconds / 3600) hours pass at once")
  return 0
}
let replacement = try pause.replace(with: hurry)
print("seconds left:", sleep(7200))
replacement.remove()
print("slots hooked:", pause.slots.contains(where: \.isHooked))
