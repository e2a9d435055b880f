import BlockRuntime

let add: @convention(block) (Int32, Double) -> Int32 = { $0 + Int32($1) }
let block = try Block(add)
print(block.encoding ?? "no signature")

let hook = try block.hook { call in
  print("called with", call.arguments)
  try call.setArgument(1, 30)
  try call.proceed()
  try call.setResult(call.result(as: Int32.self) * 10)
}
print(add(3, 4.5))
hook.remove()
print(add(3, 4.5))
