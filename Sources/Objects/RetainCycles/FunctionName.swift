/// The demangled name of a Swift function, in the form that people use.
struct FunctionName {
  /// The name without modules, and without the types of parameters and results: `closure #1 in
  /// Page.load`.
  let text: String

  init(_ demangled: String) {
    // A private name is in brackets, with that of its file: `(load in _0123)`.
    var name = demangled.replacing(/\.\(([^ )]+)[^)]*\)/) { ".\($0.output.1)" }
      .replacing(/\(extension in [^)]+\):/, with: "").replacing("->", with: "→")
    var last = ""
    while name != last {
      last = name
      name = name.replacing(/\([^()]*\)/, with: Self.brackets).replacing(/<[^<>]*>/, with: "")
    }
    text = name.split(separator: " in ").map { Self.scope($0) }.joined(separator: " in ")
  }

  /// The character that replaces round brackets and all that is in them.
  private static let brackets = "\u{0}"

  /// The short name of a function, or of one around it, from its demangled text.
  private static func scope(_ text: Substring) -> String {
    // Behind `of` is the function that the optimizer specialised.
    let function = text.contains("specialization") ? text.split(separator: " of ").last : text
    let scope = function?.split(separator: brackets).first ?? ""
    // The words that say how the optimizer changed a closure come first.
    let words = scope.split(separator: " ")
    if let number = words.first(where: { $0.hasPrefix("#") }) { return "closure \(number)" }
    // The module's name comes first.
    return scope.split(separator: ".", maxSplits: 1).last.map(String.init) ?? String(scope)
  }
}
