private import BlockRuntimeSuggestions

/// The C library's functions whose declarations are known, by the headers of glibc.
package enum KnownFunctions {
  /// The declarations of the table, by the names of the functions.
  private static let lines = Dictionary(
    table.split(separator: "\n").map { line in
      let words = line.prefix { $0 != "(" }.split { $0 == " " || $0 == "*" }
      return (words.last ?? "", line)
    }, uniquingKeysWith: { first, _ in first })

  /// The names, sorted.
  package static let names = lines.keys.map(String.init).sorted()

  /// Whether the declaration of a function is known.
  package static func isKnown(_ name: String) -> Bool {
    lines[name[...]] != nil || renamed(name) != nil
  }

  /// How many arguments the declaration of a known variadic function names; nil for other
  /// functions.
  package static func namedCount(of name: String) -> Int? {
    guard let text = lines[name[...]].map(String.init) ?? renamed(name),
      let dots = text.firstRange(of: "...")
    else { return nil }
    return text[..<dots.lowerBound].count { $0 == "," }
  }

  /// Whether the last declared argument of a known variadic function is text that says what
  /// follows.
  package static func takesText(_ name: String) -> Bool {
    guard let text = lines[name[...]].map(String.init) ?? renamed(name) else { return false }
    return text.hasSuffix("const char *, ...)") || text.hasSuffix("const wchar_t *, ...)")
  }

  /// A function's declaration in C.
  ///
  /// - Parameters:
  ///   - name: The function's name.
  ///   - asProgramsCall: Whether the declaration lists what programs pass in place of `...`.
  /// - Returns: The declaration, in which memory that holds no text before the call is `void *`.
  ///   Functions of 64-bit offsets take the structures without `64` in their names, which are the
  ///   same.
  /// - Throws: `unknownFunction`.
  package static func declaration(
    of name: String, asProgramsCall: Bool
  ) throws(TypeEncodingError) -> String {
    guard var text = lines[name[...]].map(String.init) ?? renamed(name) else {
      let guess = Suggestion.nearest(to: name, in: names).map { "did you mean \($0)? If not, " }
      throw TypeEncodingError(
        code: .unknownFunction,
        message: "no declaration of \(name) is known; \(guess ?? "")give it, as in "
          + "'char *getenv(const char *)'", input: name)
    }
    if asProgramsCall {
      text = text.replacing("... ", with: "")
    } else if let dots = text.firstRange(of: "... ") {
      text = "\(text[..<dots.lowerBound])...)"
    }
    // The result need not end with a zero, as text does.
    if name.contains("strncpy") { text = text.replacing("char *\(name)", with: "void *\(name)") }
    return text.replacing("unsigned char []", with: "void *").replacing("char []", with: "void *")
      .replacing("64 *", with: " *")
  }

  /// The declaration of a function that the headers give another name than the source has.
  ///
  /// `scanf` and `strtol` are called by names with the standard's year; `open` without a mode is
  /// called as `__open_2` by programs that are built with `_FORTIFY_SOURCE`.
  private static func renamed(_ name: String) -> String? {
    for prefix in ["__isoc99_", "__isoc23_"] where name.hasPrefix(prefix) {
      let base = String(name.dropFirst(prefix.count))
      guard base.contains("scanf") || base.hasPrefix("strto") else { return nil }
      return line(of: base, as: name)
    }
    guard name.hasPrefix("__open"), name.hasSuffix("_2") else { return nil }
    return line(of: String(name.dropFirst(2).dropLast(2)), as: name)?
      .replacing(", ... mode_t", with: "")
  }

  private static func line(of base: String, as name: String) -> String? {
    lines[base[...]].map { String($0).replacing("\(base)(", with: "\(name)(") }
  }

  /// The names by which the C library's headers let programs call a function, its own first.
  package static func aliases(of name: String) -> [String] {
    let others = ["\(name)64"] + [name, "\(name)64"].flatMap { ["__\($0)_chk", "__\($0)_2"] }
    return [name]
      + (others + ["__isoc99_\(name)", "__isoc23_\(name)"]).filter {
        lines[$0[...]] != nil || renamed($0) != nil
      }
  }
}
