#if Database
import BlockABI
import CallMemoization
import Glibc
import Invocations
import MemoDatabases

// Memoizes blocks in a database, as the process that a test wants beside its own:
//   MemoProgram open PATH [nobody | small]
//   MemoProgram full PATH
//   MemoProgram fill PATH FIRST COUNT
//   MemoProgram share PATH SEED COUNT LIMIT

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
    let database = try MemoDatabase(at: path, onFailure: { print("reported \($0.code.rawValue)") })
    let block = try squares()
    try block.memoize(in: database, named: "squares")
    limitFiles(to: 4096)
    for value in 0..<10 { guard try block.call(value) == value * value else { exit(1) } }
    database.flush()
    print("failures \(database.statistics.failures) skipped \(database.statistics.skipped)")
  case "fill":
    let database = try MemoDatabase(at: path, limits: MemoLimits(count: nil))
    let (square, text) = (try squares(), try texts())
    try square.memoize(in: database, named: "squares", limits: MemoLimits(count: 1))
    try text.memoize(in: database, named: "texts", limits: MemoLimits(count: 1))
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
    try block.memoize(in: database, named: "squares", limits: MemoLimits(count: 1))
    var seed = UInt64(number(3))
    for _ in 0..<number(4) {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Int(seed >> 57)
      guard try block.call(value) == value * value else { exit(1) }
    }
    database.flush()
    print("failures \(database.statistics.failures) hits \(database.statistics.hits)")
  default: exit(64)
  }
} catch let error as MemoizationError {
  print(error.code.rawValue)
  exit(2)
}
#endif
