private import BlockABI

/// The demangled names of Swift's functions.
enum SwiftName {
  /// The short form of a name; nil if it is not that of a Swift function.
  static func short(_ name: DemangledText, hasLabels: Bool) -> String? {
    if isAsyncMain(name) { return "main" }
    var text = name
    readPrefixes(&text)
    if text.hasPrefix("reabstraction thunk ") { return thunk(name) }
    if text.skip("outlined ") { return outlined(text) }
    if text.skip("protocol witness for ") { return witness(text, hasLabels) }
    return chain(text.split(at: " with unmangled suffix")[0], hasLabels: hasLabels)
  }

  /// The module in which a function is written; nil if the name is not that of a declaration.
  static func module(_ name: DemangledText) -> String? {
    guard var text = name.split(at: " in ").last else { return nil }
    readPrefixes(&text)
    if text.skip("(extension in ") { return text.read { $0 != UInt8(ascii: ")") } }
    return SwiftDeclaration(text)?.path.first
  }

  /// Whether a name is the symbol of a program's main function that is async, or of a part of it,
  /// which the demangler leaves as it is.
  private static func isAsyncMain(_ name: DemangledText) -> Bool {
    guard name.hasPrefix("async_Main") else { return false }
    return name.string.wholeMatch(of: /async_Main(?:T[QY]\d+_|Tu)?(?:\.\w+)*/) != nil
  }

  /// A function, or a type in one, by the functions in which it is written.
  private static func chain(_ text: DemangledText, hasLabels: Bool) -> String? {
    var parts = text.split(at: " in ")
    // The result of an initializer may be a local type, which has a context of its own.
    if parts.count > 2, parts[0].split(at: " -> ").last?.isLocal == true, !parts[0].isLocalFunction
    {
      parts.remove(at: 1)
    }
    var steps: [String] = []
    for (index, part) in parts.enumerated().reversed() {
      let isOutermost = index == parts.count - 1
      guard
        let found = self.steps(part, isOutermost: isOutermost, isAlone: parts.count == 1, hasLabels)
      else { return nil }
      steps += found
    }
    return steps.joined(separator: " › ")
  }

  // MARK: - Prefixes

  /// What the compiler makes of a function, or is a part of it: the function's name follows.
  private static let prefixes = [
    "partial apply forwarder for ", "merged ", "async function pointer to ", "dispatch thunk of ",
    "curry thunk of ", "distributed thunk ", "static ", "@objc ", "@nonobjc ",
    "variable initialization expression of ",
    "property wrapper backing initializer of ",
  ]

  private static let specializations = [
    "generic specialization <", "generic not re-abstracted specialization <",
    "generic partial specialization <", "generic pre-specialization <",
    "function signature specialization <",
  ]

  /// Reads prefixes as long as there are any.
  private static func readPrefixes(_ text: inout DemangledText) {
    while prefixes.contains(where: { text.skip($0) }) || readPart(&text)
      || readSpecialization(&text) || readVirtualThunk(&text)
    {}
  }

  /// Reads `(1) suspend resume partial function for`, with which a part of an async function
  /// begins.
  private static func readPart(_ text: inout DemangledText) -> Bool {
    var part = text
    guard part.skip("("), !part.readDigits().isEmpty,
      part.skip(") suspend resume partial function for ")
        || part.skip(") await resume partial function for ")
    else { return false }
    text = part
    return true
  }

  private static func readSpecialization(_ text: inout DemangledText) -> Bool {
    guard specializations.contains(where: { text.hasPrefix($0) }) else { return false }
    // The brackets of what is specialized need not be closed.
    guard let function = text.after("> of ") else { return false }
    text = function
    return true
  }

  /// Reads `vtable thunk for … dispatching to`: the function is the one that is called.
  private static func readVirtualThunk(_ text: inout DemangledText) -> Bool {
    guard text.hasPrefix("vtable thunk for ") else { return false }
    let parts = text.split(at: " dispatching to ")
    guard parts.count == 2 else { return false }
    text = parts[1]
    return true
  }

  // MARK: - Kinds of functions

  /// A thunk between two calling conventions, by the function that it calls if it was specialized
  /// for that.
  private static func thunk(_ name: DemangledText) -> String {
    guard var text = name.after("[Constant Propagated Function : ") else { return "thunk" }
    let function = text.read { $0 != UInt8(ascii: "]") }
    return ShortName.make(CodeSymbol.demangled(function) ?? function)
  }

  /// A method of a type for a protocol, by the type.
  private static func witness(_ text: DemangledText, _ hasLabels: Bool) -> String? {
    let parts = text.split(at: " in conformance ")
    guard parts.count == 2 else { return nil }
    var (member, conformance) = (parts[0], parts[1])
    _ = member.skip("static ")
    if conformance.hasPrefix("<") {
      _ = conformance.readGroup()
      _ = conformance.skip(" ")
    }
    let sides = conformance.split(at: " : ")
    guard sides.count == 2, let method = SwiftDeclaration(member),
      let origin = SwiftDeclaration(sides[1].split(at: " in ")[0], isType: true),
      method.path.starts(with: origin.path), method.path.count > origin.path.count
    else { return nil }
    let type =
      SwiftDeclaration(sides[0], isType: true)?.withoutModule ?? chain(sides[0], hasLabels: false)
      ?? plain(sides[0])
    let name = method.path.dropFirst(origin.path.count).joined(separator: ".")
    return "\(type).\(name)\(hasLabels ? method.labels : "")"
  }

  /// A copy or a destruction of values, which many functions share, by their type.
  private static func outlined(_ text: DemangledText) -> String? {
    let parts = text.split(at: " of ")
    guard parts.count == 2 else { return nil }
    return "outlined \(parts[0].string) of \(plain(parts[1]))"
  }

  /// A type without the names of modules.
  private static func plain(_ type: DemangledText) -> String {
    type.string.replacing(/\(([^()]+) in _[0-9A-F]{8,}\)/) { $0.output.1 }
      .replacing(/([A-Za-z_]\w*)\.((?:\w+\.){0,}\w+)/) { match in
        // `A.Element` is a member of a type parameter.
        match.output.1.wholeMatch(of: /[A-Z][0-9]*/) == nil ? match.output.2 : match.output.0
      }
  }

  /// The steps to one function from the one that contains it.
  private static func steps(
    _ part: DemangledText, isOutermost: Bool, isAlone: Bool, _ hasLabels: Bool
  ) -> [String]? {
    var text = part
    readPrefixes(&text)
    if let closure = readClosure(text) { return [closure] }
    // The accessors of a variable in a function.
    for accessor in ["getter", "setter"] where text.skip("\(accessor) of ") {
      return SwiftDeclaration(text).map { ["\($0.path.joined(separator: ".")).\(accessor)"] }
    }
    var ends: [String] = []
    if text.skip("default argument ") {
      ends = ["default argument \(text.readDigits())"]
      guard text.skip(" of ") else { return nil }
      readPrefixes(&text)
    }
    guard let declaration = SwiftDeclaration(text), !isAlone || declaration.isFunction else {
      return nil
    }
    let path = isOutermost ? declaration.withoutModule : declaration.path.joined(separator: ".")
    return [path + (hasLabels ? declaration.labels : "")] + ends
  }

  private static func readClosure(_ part: DemangledText) -> String? {
    var text = part
    let kind = text.skip("implicit ") ? "implicit closure #" : "closure #"
    guard text.skip("closure #") else { return nil }
    return kind + text.readDigits()
  }
}

extension DemangledText {
  /// Whether this is the name of a type in a function, such as `Item #1`.
  fileprivate var isLocal: Bool { string.wholeMatch(of: /[^ ]+ #\d+/) != nil }

  /// Whether this is the declaration of a function in a function, such as `add #1 (Int) -> Int`.
  fileprivate var isLocalFunction: Bool { string.prefixMatch(of: /[^ ]+ #\d+[ ]/) != nil }
}
