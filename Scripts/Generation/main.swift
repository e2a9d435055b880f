// Writes the declarations that there are once for each number of arguments: Scripts/generate.
//
// Parameter packs cannot replace them in Swift 6.3. A function that passes a pack on makes a tuple of it where
// it begins, and ends for a block, which sends refuse. A pack as a tuple is specialised, but the type of each
// element stays open, so that storing one is slow (calls). The compiler ends where a function that takes a
// function is passed as one that takes a pack (methods, delegates), infers no types of a closure's parameters
// from a pack (hooks), and takes for an element neither an Optional's value nor a value that is to become an
// existential (typed messages).
import Foundation

let files = [
  "Sources/Calls/Invocations/Targets/Block+FixedArity.generated.swift": Calls(
    type: "Block", noun: "block", function: "call", firstIndex: 1,
    header: "public import BlockABI\n",
    safety: """
        // SAFETY: the block's code has the block's signature, and `self` retains the block during the
        // call. `isPlain` and `takes` check that the call has as many arguments, and each place in the
        // plan, and the result, exactly the type that is written or read.
      """
  ).text,
  "Sources/Calls/Invocations/Targets/CFunction+FixedArity.generated.swift": Calls(
    type: "CFunction", noun: "function", function: "callAsFunction", firstIndex: 0, header: "",
    safety: """
        // SAFETY: the function's creator vouched for its signature, and `self` retains its interface
        // during the call. `isPlain` and `takes` check that the call has as many arguments, and each
        // place in the plan, and the result, exactly the type that is written or read.
      """
  ).text,
  "Sources/Objects/MessageForwarding/Sending/MessageReceiver+FixedArity.generated.swift": sends,
  "Sources/Objects/MessageForwarding/Methods/Method+FixedArity.generated.swift": methods,
  "Sources/Objects/MessageForwarding/Delegates/DynamicDelegate+FixedArity.generated.swift":
    delegateMethods,
  "Sources/Objects/MessageForwarding/Delegates/LinkedMethod+FixedArity.generated.swift":
    linkedMethods,
  "Sources/Objects/MessageForwarding/TypedSelectors/TypedSelectors.generated.swift": typedSelectors,
  "Sources/Objects/MessageForwarding/TypedSelectors/TypedSelectorHooks.generated.swift":
    typedSelectorHooks,
  "Sources/Objects/MessageForwarding/TypedSelectors/TypedMessages.generated.swift": typedMessages,
]

let directory = CommandLine.arguments[1]
for (path, text) in files {
  let place = URL(fileURLWithPath: directory).appendingPathComponent(path)
  try FileManager.default.createDirectory(
    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data("// Made by Scripts/generate: change Scripts/Generation.\n\n\(text)".utf8).write(
    to: place)
}
