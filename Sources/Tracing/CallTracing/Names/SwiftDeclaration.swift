/// A declaration in a demangled Swift name: a function, an accessor or a type.
struct SwiftDeclaration {
  /// The names of the module, of the types, and of what is declared in them.
  private(set) var path: [String] = []

  /// The parameters; nil without any.
  private var parameters: DemangledText?

  private var isAccessor = false

  /// Parses a declaration; nil if the text is not one.
  ///
  /// - Parameters:
  ///   - text: The demangled text.
  ///   - isType: Whether the text is a type, which has no parameters.
  init?(_ text: DemangledText, isType: Bool = false) {
    var text = text
    if text.hasPrefix("(extension in ") {
      guard text.readGroup() != nil, text.skip(":") else { return nil }
    }
    repeat {
      guard let name = Self.readName(&text) else { return nil }
      if !name.isEmpty { path.append(name) }
      _ = text.skip(" infix") || text.skip(" prefix") || text.skip(" postfix")
      // A declaration in a function has a number.
      if text.skip(" #") {
        _ = text.readDigits()
        if !text.hasPrefix(" :") { _ = text.skip(" ") }
      }
      while text.hasPrefix("<") {
        guard text.readGroup() != nil else { return nil }
      }
      while text.skip("@Sendable ") || text.skip("nonisolated(nonsending) ") {}
    } while text.skip(".")
    if isType {
      guard text.isEmpty else { return nil }
      return
    }
    if text.hasPrefix("(") {
      parameters = text.readGroup()
      guard parameters != nil else { return nil }
    } else if text.hasPrefix(" : ") {
      isAccessor = true
    } else if !text.isEmpty {
      return nil
    }
  }

  /// Reads one name: an identifier, a private one with its file, or an operator.
  ///
  /// - Returns: The name, which is empty if only a file is there; nil if there is none.
  private static func readName(_ text: inout DemangledText) -> String? {
    if text.hasPrefix("(") {
      guard let group = text.readGroup() else { return nil }
      if group.hasPrefix("in _") { return "" }
      let parts = group.split(at: " in _")
      return parts.count == 2 ? parts[0].string : nil
    }
    if text.skip("`") {
      let name = text.read { $0 != UInt8(ascii: "`") }
      return text.skip("`") ? "`\(name)`" : nil
    }
    guard let first = text.first else { return nil }
    let ends = isInIdentifier(first) ? ".(<:@ ".utf8 : " ".utf8
    let name = text.read { !ends.contains($0) }
    return name.isEmpty ? nil : name
  }

  private static func isInIdentifier(_ byte: UInt8) -> Bool {
    byte >= 0x80 || "_$".utf8.contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Whether the declaration is code: names of other things are not shortened.
  var isFunction: Bool {
    parameters != nil || isAccessor
      || ["deinit", "ivar_destroyer"].contains { path.last?.hasSuffix($0) == true }
  }

  /// The path without the module, if that is not all; that of a type's `main` also for the function
  /// that the compiler makes to call it.
  var withoutModule: String {
    var path = path.count > 1 ? path.dropFirst() : path[...]
    if path.last == "$main" { path[path.endIndex - 1] = "main" }
    return path.joined(separator: ".")
  }

  /// The labels of the arguments, such as `(_:to:)`; empty without parameters.
  var labels: String {
    guard let parameters else { return "" }
    guard !parameters.isEmpty else { return "()" }
    let labels = parameters.split(at: ", ").map { parameter in
      let parts = parameter.split(at: ": ")
      return parts.count > 1 && !parts[0].string.contains(" ") ? parts[0].string + ":" : "_:"
    }
    return "(\(labels.joined()))"
  }
}
