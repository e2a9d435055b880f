// Three questions of an interview: a block that prints "Hello world" instead, a block that prints its
// arguments first, and every block from now on.
import BlockRuntime
import Dispatch
import SymbolInterposing

// In functions of their own: Swift 6.3 optimises a block away that is called where it is made.
@inline(never)
func makeArea() -> @convention(block) (Int32, Double) -> Double { { Double($0) * $1 } }

@inline(never)
func makeGreeting(_ text: String) -> @convention(block) (Int32) -> Void {
  { count in print("\(text), all \(count) of you") }
}

// 1. This block prints "Hello world" and does nothing else.
let greet = makeGreeting("Good morning")
greet(7)
let hello = try Block(greet).hook { _ in print("Hello world") }
greet(7)
hello.remove()
greet(7)

// 2. This block prints its arguments, and runs.
let area = makeArea()
let printing = try Block(area).hook(.before) { call in print("arguments:", call.arguments) }
print("area:", area(3, 1.5))
printing.remove()
print("area:", area(4, 1.5))

// 3. Every block that is made from now on prints its arguments, and runs.
let every = try EveryBlock().hook(.before) { call in
  print("  block called with (\(call.arguments))")
}
print("area:", makeArea()(5, 1.5))
makeGreeting("Good evening")(9)

let queue = DispatchQueue(label: "work")
let group = DispatchGroup()
queue.async(group: group) { print("on a queue") }
group.wait()
queue.sync { print("on a queue, waited for") }

every.remove()
print("area:", makeArea()(6, 1.5))
queue.sync { print("on a queue, not hooked") }
