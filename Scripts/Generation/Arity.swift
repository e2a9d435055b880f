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
    list((others.isEmpty ? [] : [others]) + declarations.map { "_ \($0)" })
  }

  /// Their declarations: a: A, b: B, c: C.
  var declarations: [String] { zip(names, types).map { "\($0): \($1)" } }

  /// The type of all arguments as one value.
  var tuple: String { count == 1 ? "A" : count == 0 ? "Void" : "(\(list(types)))" }

  /// All arguments as one value.
  var value: String { count == 1 ? "a" : "(\(list(names)))" }

  /// The types as values.
  var metatypes: String { "[\(list(types.map { "\($0).self" }))]" }

  /// A closure that takes an object and the arguments as one value, and passes them on one by one.
  func closure(after first: String, _ body: ([String]) -> String) -> String {
    let elements = count == 1 ? ["arguments"] : names.indices.map { "arguments.\($0)" }
    let parameters = "\(first): AnyObject, \(count == 0 ? "_" : "arguments"): \(tuple)"
    return "{ (\(parameters)) in \(body(elements)) }"
  }

  /// Their number in words: two arguments.
  func counted(_ noun: String) -> String { "\(Self.words[count]) \(noun)\(count == 1 ? "" : "s")" }

  static let all = (0...8).map(Arity.init)

  /// Those of async methods, and of typed messages.
  static let few = all.prefix(5)
}

func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

/// Parameters of generic types, in angle brackets: none without a type.
func generic(_ types: [String]) -> String { types.isEmpty ? "" : "<\(list(types))>" }
