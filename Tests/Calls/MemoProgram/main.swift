#if Database
import BlockABI
import BlockHooks
import CallMemoization
import Dispatch
import Glibc
import Invocations
import MemoDatabases
import SymbolInterposing
import Synchronization

// Memoizes blocks in a database, as the process that a test wants beside its own:
//   MemoProgram open PATH [nobody | small]
//   MemoProgram full PATH
//   MemoProgram fill PATH FIRST COUNT
//   MemoProgram share PATH SEED COUNT LIMIT
//   MemoProgram unread PATH
//   MemoProgram everyblock PATH

private let arguments = CommandLine.arguments
private let (mode, path) = (arguments[1], arguments[2])

private func number(_ index: Int) -> Int {
  index < arguments.count ? Int(arguments[index]) ?? 0 : 0
}

/// Limits the size of files that this process writes.
private func limitFiles(to size: rlim_t) {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: size, rlim_max: size)
  // SAFETY: the structure is read within its bounds.
  _ = unsafe setrlimit(__rlimit_resource_t(1), &limit)
}

private func squares() throws -> Block {
  try Block(signature: "q@?q") { call in
    let value: Int = try call.argument(1)
    try call.setResult(value * value)
  }
}

private func texts() throws -> Block {
  try Block(signature: "*@?q") { call in
    let value: Int = try call.argument(1)
    try call.setResult(String(repeating: "\(value) ", count: value % 300))
  }
}

do {
  switch mode {
  case "open":
    if arguments.last == "small" { limitFiles(to: 4096) }
    if arguments.last == "nobody" { setuid(65534) }
    print(try MemoDatabase(at: path).statistics.count)
  case "full":
    // The report comes on another thread, at any time.
    let reported = DispatchSemaphore(value: 0)
    let database = try MemoDatabase(
      at: path,
      onFailure: {
        print("reported \($0.code.rawValue)")
        reported.signal()
      })
    let block = try squares()
    try block.install(.memoizing(in: database, named: "squares"))
    limitFiles(to: 4096)
    for value in 0..<10 { guard try block.call(value) == value * value else { exit(1) } }
    database.flush()
    reported.wait()
    print("failures \(database.statistics.failures) skipped \(database.statistics.skipped)")
  case "fill":
    let database = try MemoDatabase(at: path, limits: MemoLimits(count: nil))
    let (square, text) = (try squares(), try texts())
    try square.install(.memoizing(in: database, named: "squares", limits: MemoLimits(count: 1)))
    try text.install(.memoizing(in: database, named: "texts", limits: MemoLimits(count: 1)))
    for value in number(3)..<number(3) + number(4) {
      if value % 2 == 0 {
        guard try square.call(value) == value * value else { exit(1) }
      } else {
        _ = try text.call(value) as String
      }
      // One byte for each result that a caller has.
      guard unsafe write(STDOUT_FILENO, "+", 1) == 1 else { exit(1) }
    }
    database.flush()
  case "share":
    let database = try MemoDatabase(
      at: path, limits: MemoLimits(count: number(5)), onFailure: { print("failure: \($0)") })
    let block = try squares()
    try block.install(.memoizing(in: database, named: "squares", limits: MemoLimits(count: 1)))
    var seed = UInt64(number(3))
    for _ in 0..<number(4) {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Int(seed >> 57)
      guard try block.call(value) == value * value else { exit(1) }
    }
    database.flush()
    print("failures \(database.statistics.failures) hits \(database.statistics.hits)")
  case "unread":
    // Four letters at the end of what may be read.
    let size = sysconf(Int32(_SC_PAGESIZE))
    // SAFETY: the memory is that of two pages, of which the first is written.
    guard
      let memory = unsafe mmap(
        nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    else { exit(1) }
    unsafe memset(memory, 65, size)
    _ = unsafe mprotect(memory + size, size, PROT_NONE)
    let block = try Block(signature: "i@?r*Q") { call in try call.setResult(Int32(3)) }
    let database = try MemoDatabase(at: path)
    try block.install(
      .memoizing(
        in: database, named: "letters", cost: { arguments, _ in arguments.count },
        key: { call in try call.argument(2, as: Int.self) }))
    typealias Letters = @convention(block) (UnsafeRawPointer, Int) -> Int32
    // SAFETY: the signature is the type's.
    let call = unsafe unsafeBitCast(block.withUnsafePointer { unsafe $0 }, to: Letters.self)
    print(unsafe call(memory + size - 4, 4), unsafe call(memory + size - 4, 4))
  case "everyblock":
    let database = try MemoDatabase(at: path)
    let block = try squares()
    try block.install(.memoizing(in: database, named: "squares", limits: MemoLimits(count: 1)))
    let next = Atomic(10)
    let hook = try EveryBlock().hook(.before) { _ in
      _ = try block.call(next.add(1, ordering: .relaxed).newValue) as Int
    }
    guard try block.call(2) == 4 else { exit(1) }
    database.flush()
    let other = try MemoDatabase(at: path)
    try squares().install(.memoizing(in: other, named: "others"))
    other.flush()
    hook.remove()
    print(database.statistics.written > 0 ? "written" : "nothing")
  default: exit(64)
  }
} catch let error as MemoizationError {
  print(error.code.rawValue)
  exit(2)
}
#endif
