#if Macros
import SwiftParser
import SwiftSyntax

/// Reads the declarations of a source file: what can be replaced in a running program, and what
/// cannot.
struct SourceReader {
  private(set) var declarations: [Declaration] = []

  /// The imports of the file, which its replacements need too.
  private(set) var imports: [String] = []

  /// The members of the types that the file declares or extends.
  private(set) var members = TypeMembers()

  /// Whether the file cannot be parsed.
  let hasErrors: Bool

  private let file: String
  private let converter: SourceLocationConverter

  /// The type around a declaration, by its full name, and the head of an extension of the type.
  private struct Context {
    var type = ""
    var header = ""

    /// The types around the innermost one, from the inside out, whose members need no type before
    /// their names.
    var enclosing: [String] = []

    /// The name of a member, for messages.
    func named(_ name: String) -> String { type.isEmpty ? name : "\(type).\(name)" }
  }

  init(_ text: String, file: String) {
    let tree = Parser.parse(source: text)
    hasErrors = tree.hasError
    self.file = file
    converter = SourceLocationConverter(fileName: file, tree: tree)
    for item in tree.statements {
      switch item.item {
      case .decl(let declaration): read(declaration, Context())
      case let code: addFixed("code outside of functions", "it has run already", Syntax(code))
      }
    }
  }

  private mutating func read(_ declaration: DeclSyntax, _ context: Context) {
    if let group = declaration.asProtocol((any DeclGroupSyntax).self) {
      read(group, declaration, context)
    } else if let function = declaration.as(FunctionDeclSyntax.self), let body = function.body {
      read(function, body, context)
    } else if let variable = declaration.as(VariableDeclSyntax.self) {
      read(variable, context)
    } else if let imported = declaration.as(ImportDeclSyntax.self) {
      imports.append(imported.trimmedDescription)
    } else {
      if let condition = declaration.as(IfConfigDeclSyntax.self), condition.hasImports {
        imports.append(condition.trimmedDescription)
      }
      let (name, reason) = described(declaration)
      addFixed(context.named(name), reason, Syntax(declaration))
    }
  }

  /// A type or an extension: its header is fixed, its members are read.
  private mutating func read(
    _ group: any DeclGroupSyntax, _ declaration: DeclSyntax, _ context: Context
  ) {
    var header = group
    header.memberBlock = MemberBlockSyntax(members: [])
    var inner = context
    if let type = declaration.as(ExtensionDeclSyntax.self) {
      inner.type = type.extendedType.trimmedDescription
      let condition = type.genericWhereClause.map { " " + $0.trimmedDescription } ?? ""
      inner.header =
        ReplacedFunction.attributes(type.attributes) + "extension \(inner.type)\(condition)"
    } else {
      guard let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text,
        declaration.as(ProtocolDeclSyntax.self) == nil
      else {
        return addFixed("a protocol", "who conforms to it is compiled already", Syntax(declaration))
      }
      inner.type = context.named(name)
      inner.header = "extension \(inner.type)"
      if !context.type.isEmpty { inner.enclosing = [context.type] + context.enclosing }
    }
    members.add(group, to: inner.type)
    let isType = declaration.as(ExtensionDeclSyntax.self) == nil
    // A new extension has members only.
    if isType || header.inheritanceClause != nil {
      addFixed(
        "\(isType ? "type" : "conformance of") \(inner.type)",
        "types and conformances are made when the program is built", Syntax(header))
    }
    for member in group.memberBlock.members { read(member.decl, inner) }
  }

  private mutating func read(
    _ function: FunctionDeclSyntax, _ body: CodeBlockSyntax, _ context: Context
  ) {
    let parameters = function.signature.parameterClause.parameters
    let defaults = parameters.compactMap { $0.defaultValue.map { tokens(of: Syntax($0)) } }
    let replacement = ReplacedFunction(
      function, body, behind: directive(for: Syntax(body.statements)))
    let name = context.named(replacement.fullName)
    let key = "\(context.header) \(replacement.declaration(named: function.name.text))"
    if let reason = ReplacedFunction.reasonAgainst(function.attributes) {
      return addFixed(name, reason, key: key, text: tokens(of: Syntax(body)))
    }
    if !defaults.isEmpty {
      addFixed(
        "a default value of \(name)", "its callers are compiled with it",
        key: "defaults \(key)", text: defaults.joined(separator: "\n"))
    }
    declarations.append(
      Declaration(
        kind: .replaceable, key: key, name: name, text: tokens(of: Syntax(body)),
        patch: Declaration.Patch(
          type: context.type, enclosing: context.enclosing, header: context.header,
          directive: directive(for: Syntax(function)),
          replacement: replacement.code(number:), addition: replacement.addition)))
  }

  private mutating func read(_ variable: VariableDeclSyntax, _ context: Context) {
    guard let binding = variable.bindings.first, variable.bindings.count == 1,
      let accessors = binding.accessorBlock, isComputed(accessors),
      let type = binding.typeAnnotation, !variable.attributes.contains(where: isWrapper)
    else {
      let names = variable.bindings.map(\.pattern.trimmedDescription).joined(separator: ", ")
      let isStatic = variable.modifiers.contains { ["static", "class"].contains($0.name.text) }
      let isStored = !context.type.isEmpty && !isStatic
      return addFixed(
        "stored property \(context.named(names))",
        isStored ? "objects that exist have the layout they had" : "its value has been computed",
        Syntax(variable))
    }
    let name = binding.pattern.trimmedDescription
    let lists = [variable.attributes] + accessors.list.map(\.attributes)
    if let reason = lists.lazy.compactMap(ReplacedFunction.reasonAgainst).first {
      return addFixed(context.named(name), reason, Syntax(variable))
    }
    let bare = name.replacing("`", with: "")
    let head = ReplacedFunction.modifiers(variable.modifiers)
    let attributes = ReplacedFunction.attributes(variable.attributes)
    let rest = "\(type.trimmedDescription) \(located(accessors))"
    let isOverride = variable.modifiers.contains { $0.name.text == "override" }
    declarations.append(
      Declaration(
        kind: .replaceable, key: "\(context.header) var \(head)\(name)\(tokens(of: Syntax(type)))",
        name: context.named(name), text: tokens(of: Syntax(accessors)),
        patch: Declaration.Patch(
          type: context.type, enclosing: context.enclosing, header: context.header,
          directive: directive(for: Syntax(variable)),
          replacement: { number in
            "@_dynamicReplacement(for: \(name)) \(attributes)fileprivate \(head)"
              + "var _reloaded\(number)_\(bare)\(rest)"
          },
          addition: isOverride ? nil : "\(attributes)\(head)var \(name)\(rest)")))
  }

  /// The name in messages of a declaration that cannot be replaced, and why it cannot.
  private func described(_ declaration: DeclSyntax) -> (name: String, reason: String) {
    switch declaration.kind {
    case .initializerDecl: ("an initializer", "initializers are not replaced")
    case .deinitializerDecl: ("deinit", "deinits are not replaced")
    case .subscriptDecl: ("a subscript", "subscripts are not replaced")
    case .enumCaseDecl: ("a case", "values that exist have the layout they had")
    case .typeAliasDecl, .associatedTypeDecl: ("a type's name", "it is compiled into its users")
    case .ifConfigDecl: ("code within #if", "conditions are decided when the program is built")
    case .macroExpansionDecl: ("a macro's code", "it is expanded when the program is built")
    default: ("a declaration", "it is compiled into its users")
    }
  }

  /// Adds a declaration that cannot be replaced.
  private mutating func addFixed(_ name: String, _ reason: String, _ syntax: Syntax) {
    let text = tokens(of: syntax)
    // Members that are alike, such as two initializers, are told apart by their text.
    let isNamed = name.hasPrefix("stored property") || name.hasPrefix("type ")
    addFixed(name, reason, key: isNamed ? name : "\(name) \(text)", text: text)
  }

  private mutating func addFixed(_ name: String, _ reason: String, key: String, text: String) {
    declarations.append(
      Declaration(kind: .fixed(reason: reason), key: key, name: name, text: text))
  }

  /// The directive before code by which the compiler's words, and debuggers, name its place in the
  /// file.
  private func directive(for syntax: Syntax) -> String {
    let start = converter.location(for: syntax.positionAfterSkippingLeadingTrivia)
    return "#sourceLocation(file: \(ReplacementLibrary.quoted(file)), line: \(start.line))\n"
      + String(repeating: " ", count: start.column - 1)
  }

  /// The accessors as code; a getter's statements begin with their place.
  private func located(_ block: AccessorBlockSyntax) -> String {
    guard case .getter(let statements) = block.accessors else { return block.trimmedDescription }
    return "{\n\(directive(for: Syntax(statements)))\(statements.trimmedDescription)\n}"
  }

  private func isComputed(_ block: AccessorBlockSyntax) -> Bool {
    block.list.allSatisfy { ["get", "set"].contains($0.accessorSpecifier.text) && $0.body != nil }
  }

  /// Whether an attribute may be a property wrapper or a macro.
  private func isWrapper(_ element: AttributeListSyntax.Element) -> Bool {
    guard case .attribute(let attribute) = element else { return true }
    return attribute.attributeName.trimmedDescription != "MainActor"
  }
}

extension AccessorBlockSyntax {
  /// The accessors that are written with their words, such as `get`.
  fileprivate var list: [AccessorDeclSyntax] {
    if case .accessors(let list) = accessors { Array(list) } else { [] }
  }
}

extension IfConfigDeclSyntax {
  /// Whether the block has imports, and perhaps other code.
  fileprivate var hasImports: Bool {
    clauses.contains { clause in
      guard case .statements(let statements) = clause.elements else { return false }
      return statements.contains { $0.item.is(ImportDeclSyntax.self) }
    }
  }
}

/// The tokens of a piece of code, without comments and white space, which are no change.
func tokens(of syntax: Syntax) -> String {
  syntax.tokens(viewMode: .sourceAccurate).map(\.text).joined(separator: " ")
}
#endif
