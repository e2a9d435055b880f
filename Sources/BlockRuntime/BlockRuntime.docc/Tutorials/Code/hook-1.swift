import BlockRuntime

let price: @convention(block) (Int32, Double) -> Double = { count, each in Double(count) * each }
let block = try Block(price)
print(block.encoding ?? "no signature")
print(price(3, 1.5))
