// The program of the page of MemoDatabases.
import BlockRuntime
import MemoDatabases

let database = try MemoDatabase(
  at: "squares.sqlite", limits: MemoLimits(count: 100_000, cost: 1 << 30, age: .seconds(86_400)))
let square = try Block(signature: "i@?i") { call in
  print("computed")
  let side: Int32 = try call.argument(1)
  try call.setResult(side * side)
}
let memo = try square.install(
  .memoizing(
    in: database, named: "squares", version: 1, limits: MemoLimits(count: 100)))
print(try square.call(5) as Int32, try square.call(5) as Int32)
database.flush()
