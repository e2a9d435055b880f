// Writes the declarations that there are once for each number of arguments, because the compiler does not
// specialise parameter packs: Scripts/generate.
import Foundation

/// A number of arguments, and the pieces of a declaration that depend on it.
struct Arity {
  let count: Int

  private static let words = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight",
  ]
  private static let letters = "ABCDEFGH".map(String.init)

  /// Their types: A, B, C.
  var types: [String] { Array(Self.letters.prefix(count)) }

  /// Their names: a, b, c.
  var names: [String] { types.map { $0.lowercased() } }

  /// The parameters of a function without labels, after others if there are some: _ a: A, _ b: B.
  func parameters(after others: String = "") -> String {
    list((others.isEmpty ? [] : [others]) + zip(names, types).map { "_ \($0): \($1)" })
  }

  /// The type of all arguments as one value.
  var tuple: String { count == 1 ? "A" : count == 0 ? "Void" : "(\(list(types)))" }

  /// All arguments as one value.
  var value: String { count == 1 ? "a" : "(\(list(names)))" }

  /// Their number in words: two arguments.
  func counted(_ noun: String) -> String { "\(Self.words[count]) \(noun)\(count == 1 ? "" : "s")" }

  static let all = (0...8).map(Arity.init)
}

func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

/// Parameters of generic types, in angle brackets: none without a type.
func generic(_ types: [String]) -> String { types.isEmpty ? "" : "<\(list(types))>" }

let inline = "  @inlinable\n  @inline(__always)\n"
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
  "Sources/Objects/MessageForwarding/TypedSelectors/TypedSelectors.generated.swift": typedSelectors,
  "Sources/Objects/MessageForwarding/TypedSelectors/TypedSelectorHooks.generated.swift":
    typedSelectorHooks,
]

let directory = CommandLine.arguments[1]
for (path, text) in files {
  let place = URL(fileURLWithPath: directory).appendingPathComponent(path)
  try FileManager.default.createDirectory(
    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data("// Made by Scripts/generate: change Scripts/Generation.\n\n\(text)".utf8).write(
    to: place)
}
