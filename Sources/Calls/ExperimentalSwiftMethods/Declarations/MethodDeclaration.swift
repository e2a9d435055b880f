/// A method's declaration as the demangler writes it, parsed: `Shop.Page.didLoad(count: Swift.Int)
/// -> ()`.
struct MethodDeclaration {
  /// The name with its labels, such as `didLoad(count:)`, or `title.getter`.
  let name: String

  /// The types of the parameters.
  let parameters: [Substring]

  /// The text between parameters and result, such as `throws`.
  let effects: Substring

  /// The type of the result, `()` for none.
  let result: Substring

  /// Parses a declaration; nil if it has parts other than names, labels and types.
  ///
  /// A name in backticks may contain any text, so such declarations are refused. Since a
  /// declaration ends with its types, no type is taken for part of the name.
  ///
  /// - Parameters:
  ///   - text: The declaration.
  ///   - kind: The kind of method.
  init?(_ text: String, _ kind: MethodDescriptor.Kind) {
    guard !text.contains("`"), !text.contains("#") else { return nil }
    switch kind {
    case .method: self.init(method: text)
    case .getter: self.init(accessor: text, ".getter")
    case .setter: self.init(accessor: text, ".setter")
    default: return nil
    }
  }

  private init?(method text: String) {
    let prefix = "static "
    let (path, rest) = Self.splitPath(
      text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...])
    guard let name = Self.baseName(path), rest.first == "(",
      let end = rest.endOfBrackets, let arrow = rest[end...].firstRange(of: " -> ")
    else { return nil }
    let listed = rest[..<end].dropFirst().dropLast().splitAtCommas()
    var labels = ""
    var types: [Substring] = []
    for parameter in listed {
      let (label, type) = parameter.splitLabel()
      labels += "\(label):"
      types.append(type)
    }
    self.name = "\(name)(\(labels))"
    parameters = types
    effects = rest[end..<arrow.lowerBound].drop { $0 == " " }
    result = rest[arrow.upperBound...]
  }

  private init?(accessor text: String, _ suffix: String) {
    let (path, rest) = Self.splitPath(text[...])
    guard let name = Self.baseName(path.dropLast(suffix.count)), path.hasSuffix(suffix),
      rest.hasPrefix(" : ")
    else { return nil }
    let type = rest.dropFirst(3)
    self.name = name + suffix
    effects = ""
    (parameters, result) = suffix == ".setter" ? ([type], "()") : ([], type)
  }

  /// Splits a declaration after its path, such as `Shop.(Page in _0A1B).draw`.
  private static func splitPath(_ text: Substring) -> (path: Substring, rest: Substring) {
    var end = text.startIndex
    while end < text.endIndex {
      if text[..<end].hasSuffix("."), text[end] == "(", let close = text[end...].endOfBrackets {
        end = close
      } else if text[end] == "(" || text[end] == " " {
        break
      } else {
        end = text.index(after: end)
      }
    }
    return (text[..<end], text[end...])
  }

  /// The last name of a path, without the discriminator of a private one; nil for a generic one.
  private static func baseName(_ path: Substring) -> String? {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    var name = path[path.index(after: dot)...]
    if name.first == "(", let end = name.firstRange(of: " in _") {
      name = name[..<end.lowerBound].dropFirst()
    }
    let isName = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isName ? String(name) : nil
  }
}

extension Substring {
  /// The index after the bracket that closes the one at the start of the text.
  var endOfBrackets: Index? {
    var depth = 0
    for index in indices {
      depth += depthChange(at: index)
      if depth == 0 { return self.index(after: index) }
    }
    return nil
  }

  /// The parts between the commas that are not inside brackets.
  fileprivate func splitAtCommas() -> [Substring] {
    guard !isEmpty else { return [] }
    var parts: [Substring] = []
    var (depth, start) = (0, startIndex)
    for index in indices {
      depth += depthChange(at: index)
      guard depth == 0, self[index] == "," else { continue }
      parts.append(self[start..<index])
      start = self.index(after: index)
    }
    parts.append(self[start...])
    return parts.map { $0.drop { $0 == " " } }
  }

  /// A parameter's label, `_` if it has none, and its type.
  fileprivate func splitLabel() -> (label: Substring, type: Substring) {
    guard let colon = firstRange(of: ": "),
      self[..<colon.lowerBound].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return ("_", self) }
    return (self[..<colon.lowerBound], self[colon.upperBound...])
  }

  private func depthChange(at index: Index) -> Int {
    switch self[index] {
    case "(", "[", "<": 1
    case ")", "]": -1
    // Except at the end of an arrow.
    case ">": index > startIndex && self[self.index(before: index)] == "-" ? 0 : -1
    default: 0
    }
  }
}
