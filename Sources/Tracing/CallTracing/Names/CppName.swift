/// The demangled names of C++ functions.
enum CppName {
  /// A name without parameters, template arguments and result; nil if it is not that of a function.
  static func short(_ name: DemangledText) -> String? {
    var (text, path) = (name, "")
    while let byte = text.first {
      switch byte {
      case UInt8(ascii: "<"):
        guard text.readGroup() != nil else { return nil }
      case UInt8(ascii: "{"):
        guard let group = text.readGroup() else { return nil }
        path += "{\(group.string)}"
      case UInt8(ascii: "("):
        guard let group = text.readGroup() else { return nil }
        if text.hasPrefix("::"), path.isEmpty || path.hasSuffix("::") {
          path += "(\(group.string))"
          continue
        }
        readQualifiers(&text)
        if text.hasPrefix("::") { continue }
        return text.isEmpty && !path.isEmpty && !path.hasSuffix("::") ? path : nil
      case UInt8(ascii: " "):
        // What was before is the result.
        _ = text.skip(" ")
        path = ""
      default:
        let word = text.read { !"<{( :".utf8.contains($0) }
        path += word
        if word == "operator" { path += readOperator(&text) }
        if text.skip(":") { path += ":" }
      }
    }
    return nil
  }

  /// Reads the operator behind the keyword: its sign, or the type that it converts to.
  private static func readOperator(_ text: inout DemangledText) -> String {
    if text.skip("()") { return "()" }
    if text.skip(" ") {
      var type = " "
      while let byte = text.first, byte != UInt8(ascii: "(") {
        guard byte != UInt8(ascii: "<") else {
          guard let group = text.readGroup() else { return type }
          type += "<\(group.string)>"
          continue
        }
        type += text.read { !"(<".utf8.contains($0) }
      }
      return type
    }
    return text.read { "<>=!+-*/%^&|~,[]".utf8.contains($0) }
  }

  /// Reads what may follow the parameters of a method, and the mark of a part of a function.
  private static func readQualifiers(_ text: inout DemangledText) {
    while text.skip(" const") || text.skip(" volatile") || text.skip(" &&") || text.skip(" &")
      || text.skip("[abi:cxx11]")
    {}
    while text.hasPrefix(" [clone ") || text.hasPrefix(" (.") {
      _ = text.skip(" ")
      guard text.readGroup() != nil else { return }
    }
  }
}
