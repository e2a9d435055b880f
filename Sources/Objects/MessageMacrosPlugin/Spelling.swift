#if Macros
import SwiftParser
import SwiftSyntax

/// The properties of a type that its spelling shows: macros see no more.
enum Spelling {
  /// The zero of a type, which a message to nil answers.
  static func zero(of type: TypeSyntax) -> String? {
    let type = type.withoutBrackets
    if type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return "nil"
    }
    if type.is(ArrayTypeSyntax.self) { return "[]" }
    if type.is(DictionaryTypeSyntax.self) { return "[:]" }
    var name = type.trimmedDescription
    if let end = name.firstIndex(of: "<") { name = String(name[..<end]) }
    if name.hasPrefix("Swift.") { name.removeFirst("Swift.".count) }
    switch name {
    case "Optional": return "nil"
    case "Bool": return "false"
    case "String", "Substring": return "\"\""
    case "Array", "ContiguousArray", "ArraySlice", "Set": return "[]"
    case "Dictionary": return "[:]"
    default: return numbers.contains(name) ? "0" : nil
    }
  }

  private static let numbers: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32",
    "UInt64", "UInt128", "Float", "Float16", "Float32", "Float64", "Float80", "Double", "CGFloat",
    "CChar", "CInt", "CLong", "CLongLong", "CShort", "CUnsignedChar", "CUnsignedInt",
    "CUnsignedLong", "CUnsignedLongLong", "CUnsignedShort", "CFloat", "CDouble", "TimeInterval",
  ]

  /// Whether a type is `Void`; true if there is none.
  static func isVoid(_ type: TypeSyntax?) -> Bool {
    guard let type else { return true }
    if let tuple = type.as(TupleTypeSyntax.self) {
      return tuple.elements.count < 2 && isVoid(tuple.elements.first?.type)
    }
    return ["Void", "Swift.Void"].contains(type.trimmedDescription)
  }

  /// Whether a clause says that something is thrown, which `throws(Never)` does not.
  static func isThrowing(_ clause: ThrowsClauseSyntax) -> Bool {
    !["Never", "Swift.Never"].contains(clause.type?.trimmedDescription)
  }

  /// Whether a value of the type is a function, which is no argument of a message.
  static func isFunction(_ type: TypeSyntax) -> Bool {
    let type = type.withoutBrackets
    if let type = type.as(AttributedTypeSyntax.self) {
      return type.attributes.attribute("escaping") != nil || isFunction(type.baseType)
    }
    if let type = type.as(OptionalTypeSyntax.self) { return isFunction(type.wrappedType) }
    return type.is(FunctionTypeSyntax.self)
  }

  /// The type; an Optional in place of an implicitly unwrapped one, which types of functions cannot
  /// have.
  static func optional(_ type: TypeSyntax) -> TypeSyntax {
    guard let forced = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return type }
    return TypeSyntax(OptionalTypeSyntax(wrappedType: forced.wrappedType.trimmed))
  }

  /// The name of a type without the module or the type that it belongs to.
  static func lastName(of type: TypeSyntax) -> String {
    type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
  }

  /// Whether a value of the type is several values or none, which is no argument of a message.
  static func isTuple(_ type: TypeSyntax) -> Bool {
    let type = type.withoutBrackets
    if let type = type.as(OptionalTypeSyntax.self) { return isTuple(type.wrappedType) }
    return isVoid(type) || type.is(TupleTypeSyntax.self)
  }

  /// Whether a type is written as a name, which may be an alias of any type.
  static func isName(_ type: TypeSyntax) -> Bool {
    type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self)
  }

  /// The expression for a type as a value.
  static func metatype(of type: TypeSyntax) -> String {
    let type = optional(type)
    let isSimple =
      isName(type) || type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self)
      || type.is(OptionalTypeSyntax.self)
    return isSimple ? "\(type.trimmed).self" : "(\(type.trimmed)).self"
  }

  /// The name with its first letter in upper case.
  static func capitalised(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The name with its first word in lower case: `PageDelegate` is `pageDelegate`, `URLLoader` is
  /// `urlLoader`.
  static func uncapitalised(_ name: String) -> String {
    let head = name.prefix { $0.isUppercase }
    let count = head.count > 1 && head.count < name.count ? head.count - 1 : head.count
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }

  /// The name of a parameter as an expression; nil if it has none.
  ///
  /// The name may be a keyword, as in `func value(for: Int)`.
  static func variable(_ name: TokenSyntax) -> String? {
    name.tokenKind == .wildcard ? nil : identifier(bare(name.text))
  }

  /// A name as a declaration writes it.
  static func identifier(_ name: String) -> String {
    name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
  }

  /// A label as a declaration and a call write it: of keywords, few need backticks.
  static func label(_ name: String) -> String {
    let isRaw =
      name.first?.isWholeNumber == true
      || name.contains { $0.isASCII && !$0.isLetter && !$0.isWholeNumber && $0 != "_" }
    return isRaw || ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
  }

  /// The literal of a text: names between backticks may have quotation marks.
  static func literal(_ text: String) -> String { text.debugDescription }

  /// A name without backticks.
  static func bare(_ name: String) -> String { name.filter { $0 != "`" } }
}

extension TypeSyntax {
  /// The type without brackets around it.
  var withoutBrackets: TypeSyntax {
    guard let tuple = self.as(TupleTypeSyntax.self), let only = tuple.elements.first,
      tuple.elements.count == 1
    else { return self }
    return only.type.withoutBrackets
  }

  /// The words before the type, such as `inout`.
  var specifiers: [String] {
    self.as(AttributedTypeSyntax.self)?.specifiers.map(\.trimmedDescription) ?? []
  }

  /// Whether an attribute, such as `escaping`, is written before the type.
  func has(_ attribute: String) -> Bool {
    self.as(AttributedTypeSyntax.self)?.attributes.attribute(attribute) != nil
  }
}
#endif
