import BlockABI
import BlockHooks
import CFixtures
import DelayedBlocks
import Foundation
import Invocations
import Synchronization

// One environment a run: makes the process poorer, tries everything, and prints what happened.

typealias IntBlock = @convention(block) (Int32) -> Int32

/// Prints the outcome of one attempt.
func attempt(_ name: String, _ body: () throws -> String) {
  do {
    print("\(name): \(try body())")
  } catch let error as InvocationError {
    print("\(name): \(error.code.rawValue)")
  } catch let error as HookError {
    print("\(name): \(error.code.rawValue)")
  } catch {
    print("\(name): \(error)")
  }
}

/// Whether made code is in a mapping that is shared with forked children.
func codeIsShared() -> Bool {
  let pointer = try? FunctionPointer(signature: "v") { _ in }
  defer { withExtendedLifetime(pointer) {} }
  let file = FileHandle(forReadingAtPath: "/proc/self/maps")
  let maps = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
  return maps.split(separator: "\n").contains { line in
    let rights = line.split(separator: " ").dropFirst().first ?? ""
    return rights.contains("x") && rights.hasSuffix("s")
  }
}

func hookHeapBlock() throws -> String {
  let original: IntBlock = { $0 }
  let hook = try Block(original).hook { call in
    try call.proceed()
    try call.setResult(call.result(as: Int.self) + 1)
  }
  defer { hook.remove() }
  return original(41) == 42 ? "works" : "wrong"
}

func hookGlobalBlock() throws -> String {
  guard let pointer = unsafe fixture_global_adder() else { return "no block" }
  let hook = unsafe try Block(unsafePointer: pointer).hook { call in try call.setResult(42) }
  defer { hook.remove() }
  return unsafe fixture_call_int_int(pointer, 1, 2) == 42 ? "works" : "wrong"
}

func callBlock() throws -> String {
  let original: IntBlock = { $0 + 1 }
  return try Block(original).call(41) as Int == 42 ? "works" : "wrong"
}

func callFunction() throws -> String {
  let abs = unsafe try CFunction(symbol: "abs", signature: "ii")
  return try abs(-42) as Int == 42 ? "works" : "wrong"
}

func makeFunctionPointer() throws -> String {
  let pointer = try FunctionPointer(signature: "ii") { call in
    try call.setResult(call.argument(0, as: Int.self) + 1)
  }
  let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "ii")
  return try withExtendedLifetime(pointer) {
    try function(41) as Int == 42 ? "works" : "wrong"
  }
}

func attemptAll() {
  print("support: \(ExecutableMemory.support.rawValue)")
  attempt("call a block", callBlock)
  attempt("call a function", callFunction)
  attempt("hook a heap block", hookHeapBlock)
  attempt("hook a global block", hookGlobalBlock)
  attempt("make a function pointer", makeFunctionPointer)
}

/// Hooks before a fork; the child calls, makes more and frees; then the parent is tried again.
func attemptFork() throws {
  let original: IntBlock = { $0 }
  let block = try Block(original)
  let hook = try block.hook { call in try call.setResult(137) }
  let status = unsafe fixture_fork(
    { _ in
      attemptAll()
      fflush(nil)
      return 0
    }, nil)
  print("child: \(status)")
  print("parent: \(original(1))")
  hook.remove()
  attemptAll()
}

/// Schedules a block where no thread can be started, and another where one can.
func attemptWithoutThreads() -> Int32 {
  let timer = DelayTimer.shared
  let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
  var limit = rlimit()
  guard unsafe getrlimit(resource, &limit) == 0 else { return errno }
  let usual = limit.rlim_cur
  // No memory for a stack.
  limit.rlim_cur = 1 << 20
  guard unsafe setrlimit(resource, &limit) == 0 else { return errno }
  let first = timer.perform(after: .zero, on: .inline) {}
  limit.rlim_cur = usual
  guard unsafe setrlimit(resource, &limit) == 0 else { return errno }
  print("without a thread: \(first.wait(timeout: .milliseconds(20)))")
  let second = timer.perform(after: .milliseconds(1), on: .inline) {}
  print("with a thread: \(second.wait()), \(first.wait())")
  return 0
}

/// Ends the process inside an original that a hook proceeds to.
@inline(never)
func crashInHook() throws {
  let original: @convention(block) (Int32, Double) -> Int32 = { _, _ in abort() }
  // Closures that are alike are merged when optimised, into one that calls the other by a name that
  // no debugger sees.
  let hook = try Block(original).hook { call in
    fflush(nil)
    try call.proceed()
  }
  defer { hook.remove() }
  print(original(1, 2))
}

/// Ends the process inside the handler of a function pointer.
@inline(never)
func crashInCallback() throws {
  let pointer = try FunctionPointer(signature: "iid") { _ in abort() }
  let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "iid")
  try withExtendedLifetime(pointer) { print(try function(1, 2.0) as Int) }
}

/// Forks on a thread that made no hooked call yet, in a process whose own handlers of forks, which
/// were there first, make one.
func forkOnANewThread() throws {
  let original: IntBlock = { $0 }
  let block = try Block(original)
  unsafe block.withUnsafePointer { unsafe fixture_call_before_forks($0) }
  let calls = Atomic(0)
  let hook = try block.hook { call in
    calls.add(1, ordering: .relaxed)
    try call.proceed()
  }
  print("status: \(fixture_fork_on_a_thread())")
  print("calls: \(calls.load(ordering: .relaxed))")
  hook.removeAndWait()
}

/// Waits for a call where the kernel has taken its barrier back, and keeps what it cannot know to
/// be unused.
func waitWithoutBarrier() throws -> Int32 {
  let original: IntBlock = { $0 }
  let block = try Block(original)
  let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let isOver = Atomic(false)
  let hook = try block.hook { call in
    entered.signal()
    goOn.wait()
    isOver.store(true, ordering: .releasing)
    try call.proceed()
  }
  let status = fixture_deny_barriers()
  guard status == 0 else { return status }
  let caller = Thread { _ = unsafe block.withUnsafePointer { unsafe fixture_call_int($0, 1) } }
  caller.start()
  entered.wait()
  Thread { goOn.signal() }.start()
  hook.removeAndWait()
  print("waited: \(isOver.load(ordering: .acquiring))")
  let second = try block.hook { call in try call.proceed() }
  second.removeAndWait()
  print("again: \(original(3))")
  return 0
}

let environment = CommandLine.arguments.dropFirst().joined(separator: " ")
var status: Int32 = 0
switch environment {
case "plain": attemptAll()
case "general way":
  print("assembly: \(EnteredCall.assemblyIsUsed)")
  attemptAll()
case "no write and execute":
  status = fixture_deny_write_and_execute()
  if status == 0 {
    attemptAll()
    print("shared code: \(codeIsShared())")
  }
case "no executable memory":
  status = fixture_deny_write_and_execute()
  if status == 0 { status = fixture_limit(Int32(RLIMIT_NOFILE.rawValue), 0) }
  if status == 0 { attemptAll() }
case "no descriptors":
  status = fixture_limit(Int32(RLIMIT_NOFILE.rawValue), 0)
  if status == 0 { attemptAll() }
case "no mappings":
  // The first pages are there before there is room for no other.
  _ = try makeFunctionPointer()
  _ = try hookHeapBlock()
  status = fixture_exhaust_mappings(64 << 20)
  guard status == 0 else { break }
  var kept: [FunctionPointer] = []
  // Thousands of stubs are mapped at once: the heap would end first, and Swift's allocator with it.
  if CallEngine.current == .plans {
    attempt("make a function pointer", makeFunctionPointer)
  } else {
    attempt("make pointers until it is refused") {
      while true { kept.append(try FunctionPointer(signature: "v") { _ in }) }
    }
  }
  attempt("call a block", callBlock)
  kept.removeAll()
  attempt("hook a heap block", hookHeapBlock)
case let pages where pages.hasPrefix("pages "):
  attemptPages(CommandLine.arguments[2])
case let loading where loading.hasPrefix("loading "):
  let arguments = CommandLine.arguments
  if arguments.count > 5 {
    try hookBesideRebinding(arguments[2], arguments[3], rounds: Int(arguments[4]) ?? 0)
  } else if arguments.count > 4 {
    try hookBesideLoading(arguments[2], arguments[3], rounds: Int(arguments[4]) ?? 0)
  } else {
    hookInsideOfLoading(arguments[2], arguments[3])
  }
case "main queue": try runTheMainQueue()
case "no threads": status = attemptWithoutThreads()
case "stop": try stopForADebugger()
case "crash in a hook": try crashInHook()
case "crash in a callback": try crashInCallback()
case "fork on a new thread": try forkOnANewThread()
case "barriers denied later": status = try waitWithoutBarrier()
case "end inside of a message": endInsideOfAMessage()
case "fork": try attemptFork()
case "fork without write and execute":
  status = fixture_deny_write_and_execute()
  if status == 0 {
    try attemptFork()
    print("shared code: \(codeIsShared())")
  }
default: status = EINVAL
}
if status != 0 { print("unsupported: \(status)") }
