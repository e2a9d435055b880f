// A script calls Swift blocks by name, and Swift calls the script: JavaScript by Duktape.
import BlockRuntime
import ScriptBridge

// SAFETY, for the whole file: C strings are valid while the blocks run that they are passed to.

typealias Answer = @convention(block) (Double) -> Void

let bridge = ScriptBridge(timeout: .seconds(60))

// Blocks are called by their signatures: numbers, truth values, texts.
let add: @convention(block) @Sendable (Double, Double) -> Double = { $0 + $1 }
let log: @convention(block) @Sendable (UnsafePointer<CChar>) -> Void = { text in
  print("  script:", unsafe String(cString: text))
}
// A block that takes a block last answers by that: at once, or later.
let divide: @convention(block) @Sendable (Int32, Int32, Answer) -> Void = { left, right, answer in
  if right != 0 { answer(Double(left) / Double(right)) }
}
try bridge.handle("add", with: Block(add))
try unsafe bridge.handle("log", with: Block(log))
try bridge.handle("divide", with: Block(divide))

// A closure gets whatever a script can say. This one calls the script back before it answers.
bridge.handle("sum") { [weak bridge] arguments, answer in
  bridge?.call("fold", arguments) { result in
    switch result {
    case .success(let sum):
      try? answer.send(["sum": sum, "count": .number(Double(arguments.count))])
    case .failure(let error): try? answer.fail(error)
    }
  }
}

// Called before there is a script, it waits for one.
bridge.call("greet", ["early bird"])

try await bridge.load(
  """
  function show(name) {
    return function (error, result) {
      bridge.call("log", [name + ": " + (error ? error.code : JSON.stringify(result))]);
    };
  }
  bridge.handle("greet", function (values) { bridge.call("log", ["hello, " + values[0]]); });
  bridge.handle("fold", function (values, answer) {
    answer(null, values.reduce(function (sum, value) { return sum + value; }, 0));
  });
  bridge.handle("test", function (values, answer) {
    bridge.call("add", [1, 2.5], show("add"));
    bridge.call("add", [1], show("one argument"));
    bridge.call("divide", [1, 4], show("divide"));
    bridge.call("divide", [1, 0], show("by zero"));
    bridge.call("multiply", [2, 3], show("multiply"));
    bridge.call("sum", [1, 2, 3], answer);
  });
  """)
print("answered:", try await bridge.result(of: "test"))
print("fold:", try await bridge.result(of: "fold", [0.5, 1, 2]))
do { _ = try await bridge.result(of: "nothing") } catch { print(error) }
