#if Macros
import SwiftSyntax

/// A function whose body is replaced, and the code that replaces it.
struct ReplacedFunction {
  private let function: FunctionDeclSyntax
  private let body: CodeBlockSyntax

  /// The directive before the statements by which the compiler names their place.
  private let directive: String

  init(_ function: FunctionDeclSyntax, _ body: CodeBlockSyntax, behind directive: String) {
    self.function = function
    self.body = body
    self.directive = directive
  }

  /// The body as a block.
  private var block: String {
    body.statements.isEmpty ? "{}" : "{\n\(directive)\(body.statements.trimmedDescription)\n}"
  }

  /// The function with another name, without its body, access and default values.
  func declaration(named name: String) -> String {
    var signature = function.signature
    signature.parameterClause.parameters = FunctionParameterListSyntax(
      signature.parameterClause.parameters.map { parameter in
        var parameter = parameter
        if parameter.defaultValue != nil { parameter.type = parameter.type.trimmed }
        parameter.defaultValue = nil
        return parameter
      })
    let generics = function.genericParameterClause?.trimmedDescription ?? ""
    let condition = function.genericWhereClause.map { " " + $0.trimmedDescription } ?? ""
    return Self.attributes(function.attributes) + "fileprivate "
      + Self.modifiers(function.modifiers)
      + "func \(name)\(generics)\(signature.trimmedDescription)\(condition)"
  }

  /// The function as a new member; nil for an override, which has no place in its class's table.
  var addition: String? {
    guard !function.modifiers.contains(where: { $0.name.text == "override" }) else { return nil }
    let isPrivate = function.modifiers.contains {
      ["private", "fileprivate"].contains($0.name.text)
    }
    let text = declaration(named: function.name.text) + " " + block
    return isPrivate ? text : text.replacing("fileprivate ", with: "", maxReplacements: 1)
  }

  /// The code of the replacement in the library with a number.
  @Sendable
  func code(number: Int) -> String {
    let name = "_reloaded\(number)_\(identifier)"
    let replacement = "@_dynamicReplacement(for: \(fullName)) \(declaration(named: name))"
    guard namesItself, let call = call(of: "_body\(number)_\(identifier)") else {
      return "\(replacement) \(block)"
    }
    // Within a replacement, the function's name means the replaced code, but a recursive function
    // means its new code. So the replacement calls the new body, a function of its own.
    return "\(replacement) { \(call) }\n"
      + declaration(named: "_body\(number)_\(identifier)")
      + " \(block)"
  }

  /// The name with its labels, which operators do not have.
  var fullName: String {
    let labels = function.signature.parameterClause.parameters.map {
      isOperator ? "_:" : "\($0.firstName.text):"
    }
    return "\(function.name.text)(\(labels.joined()))"
  }

  private var isOperator: Bool {
    if case .identifier = function.name.tokenKind { false } else { true }
  }

  /// The name, or what stands for that of an operator.
  private var identifier: String {
    let name = function.name.text
    if isOperator { return name.unicodeScalars.map { "u\($0.value)" }.joined() }
    return name.replacing("`", with: "")
  }

  /// Whether the body contains the function's name, as that of a recursive function does.
  private var namesItself: Bool {
    body.tokens(viewMode: .sourceAccurate).contains { $0.text == function.name.text }
  }

  /// A call that passes all arguments on; nil where that cannot be written.
  private func call(of name: String) -> String? {
    var arguments: [String] = []
    for parameter in function.signature.parameterClause.parameters {
      let type = parameter.type.trimmedDescription
      let value = (parameter.secondName ?? parameter.firstName).text
      guard parameter.ellipsis == nil, value != "_" else { return nil }
      let label = parameter.firstName.text == "_" ? "" : "\(parameter.firstName.text): "
      let passed =
        type.contains("@autoclosure")
        ? "\(value)()" : type.hasPrefix("inout ") ? "&\(value)" : value
      arguments.append(label + passed)
    }
    let effects = function.signature.effectSpecifiers
    return (effects?.throwsClause == nil ? "" : "try ")
      + (effects?.asyncSpecifier == nil ? "" : "await ")
      + "\(name)(\(arguments.joined(separator: ", ")))"
  }

  /// Why a function with these attributes cannot be replaced; nil if it can.
  static func reasonAgainst(_ list: AttributeListSyntax) -> String? {
    let names = list.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
    if names.contains(where: ["inlinable", "_transparent", "_alwaysEmitIntoClient"].contains) {
      return "its body is compiled into its callers"
    }
    return names.contains { ["_cdecl", "c", "_silgen_name"].contains($0) }
      ? "C code calls it by its symbol" : nil
  }

  /// Attributes that a replacement may repeat.
  static func attributes(_ list: AttributeListSyntax) -> String {
    let dropped = ["inlinable", "inline", "usableFromInline", "objc", "_transparent", "main"]
    return list.compactMap { element -> String? in
      guard case .attribute(let attribute) = element,
        !dropped.contains(attribute.attributeName.trimmedDescription)
      else { return nil }
      return attribute.trimmedDescription + " "
    }.joined()
  }

  /// Modifiers that a replacement in an extension may repeat: no access, and nothing about tables.
  static func modifiers(_ list: DeclModifierListSyntax) -> String {
    let dropped = [
      "public", "open", "internal", "package", "private", "fileprivate", "final", "override",
      "dynamic", "required", "convenience",
    ]
    return list.filter { !dropped.contains($0.name.text) }
      .map { $0.trimmedDescription + " " }.joined()
  }
}
#endif
