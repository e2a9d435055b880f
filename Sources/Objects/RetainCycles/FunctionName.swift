/// The demangled name of a Swift function, in the form that people use.
struct FunctionName {
  /// The name without modules, and without the types of parameters and results: `closure #1 in
  /// Page.load`.
  let text: String

  init(_ demangled: String) {
    text = Self.scopes(of: demangled).map { scope in
      // What the optimizer made of a closure comes before.
      let words = scope.split(separator: " ")
      if let number = words.firstIndex(where: { $0.hasPrefix("#") }) {
        return "closure \(words[number])"
      }
      // The module's name comes first.
      return scope.split(separator: ".", maxSplits: 1).last.map(String.init) ?? scope
    }.joined(separator: " in ")
  }

  /// The names of a function and of those around it, each without what is in brackets, and without
  /// what follows that.
  private static func scopes(of name: String) -> [String] {
    var scopes = [""]
    var (depth, hasEnded) = (0, false)
    var (last, rest): (Character, Substring) = (" ", name[...])
    while let character = rest.first {
      if depth == 0, rest.hasPrefix(" in ") {
        scopes.append("")
        (hasEnded, last, rest) = (false, " ", rest.dropFirst(4))
        continue
      }
      if depth == 0, rest.hasPrefix(" of "), scopes.last?.contains("specialization") == true {
        // What follows is the function that the optimizer specialised.
        scopes[scopes.count - 1] = ""
        (hasEnded, last, rest) = (false, " ", rest.dropFirst(4))
        continue
      }
      if character == "(", last == ".", depth == 0, let end = rest.firstIndex(of: ")") {
        // A private name, with that of its file: `(load in _0123)`.
        scopes[scopes.count - 1] += rest[..<end].dropFirst().prefix { $0 != " " }
        (last, rest) = (")", rest[end...].dropFirst())
        continue
      }
      switch character {
      case "(", "<":
        depth += 1
        hasEnded = hasEnded || scopes.last?.isEmpty == false
      case ")", ">": if character == ")" || last != "-" { depth = max(depth - 1, 0) }
      default: if depth == 0, !hasEnded { scopes[scopes.count - 1].append(character) }
      }
      (last, rest) = (character, rest.dropFirst())
    }
    return scopes
  }
}
