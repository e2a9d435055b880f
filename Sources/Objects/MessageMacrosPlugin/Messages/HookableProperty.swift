#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property whose uses run hooks: two functions read and write another property, which has
/// the value.
struct HookableProperty {
  private let property: VariableDeclSyntax
  let name: String
  private let type: String

  /// Whether each value or object has the property.
  private let isOfInstances: Bool
  private let isOfStructure: Bool

  /// Reads a property.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - owner: The type that has it; nil if it is global.
  /// - Throws: Why it is not hookable, with the way round.
  init(_ property: VariableDeclSyntax, of owner: Syntax?) throws(HookableRefusal) {
    if let reason = Self.reason(against: property) { throw HookableRefusal(reason: reason) }
    guard let binding = property.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      let type = Spelling.type(of: binding, before: [])
    else { throw HookableRefusal(reason: "a macro does not know its type; write it") }
    self.property = property
    name = Spelling.bare(pattern.identifier.text)
    self.type = type
    isOfInstances = owner != nil && !property.modifiers.names.contains("static")
    isOfStructure = owner?.is(StructDeclSyntax.self) ?? false
  }

  private static func reason(against property: VariableDeclSyntax) -> String? {
    if property.bindingSpecifier.tokenKind == .keyword(.let) {
      return "it is a constant; write private(set) var"
    }
    for case .accessors(let accessors) in property.bindings.map(\.accessorBlock?.accessors) {
      if accessors.contains(where: { $0.accessorSpecifier.text.hasSuffix("Set") }) {
        return "it has observers; let a computed property around it do what they do"
      }
    }
    if property.bindings.contains(where: { $0.accessorBlock != nil }) {
      return "a macro cannot add code to accessors; let them call a hookable function"
    }
    for word in property.modifiers.names {
      switch word {
      case "lazy": return "it is lazy; let a computed property fill a hookable Optional"
      case "override": return "it overrides a property; make that one hookable"
      default: continue
      }
    }
    for case .attribute(let attribute) in property.attributes {
      let name = attribute.attributeName.trimmedDescription
      if !known.contains(name), !name.hasSuffix("Actor") {
        return "a macro does not know what @\(name) makes of it; hook a function that uses it"
      }
    }
    return nil
  }

  private static let known: Set<String> = [
    "available", "Hookable", "MessageMacros.Hookable", "Named", "MessageMacros.Named", "SentAs",
    "MessageMacros.SentAs", "NotSent", "MessageMacros.NotSent", "ObservationIgnored",
  ]

  // MARK: - The declarations that are made

  /// The functions that read and write the property; the second has another name, and the setter's
  /// access.
  var functions: [FunctionDeclSyntax] {
    let access = property.modifiers.first { $0.detail?.detail.text == "set" }?.name.text
    let isFunction = property.bindings.first?.typeAnnotation.map {
      Spelling.isNonescapingFunction($0.type)
    }
    let value = (isFunction == true ? "@escaping " : "") + type
    return [
      function(words, { $0 }, "\(Spelling.identifier(name))() -> \(type) { \(place) }"),
      function(
        words.filter { access == nil || !Self.levels.contains($0) } + [access].compactMap { $0 }
          + (isOfStructure && isOfInstances ? ["mutating"] : []),
        { "set" + Spelling.capitalised($0) },
        "set\(Spelling.capitalised(name))(_ newValue: \(value)) { \(place) = newValue }"),
    ].compactMap { DeclSyntax(stringLiteral: $0).as(FunctionDeclSyntax.self) }
  }

  /// The functions as methods of a class whose calls are messages.
  func messages(of owner: any ReceiverDeclaration) -> [CalledFunction] {
    functions.map { function in
      CalledFunction(
        function,
        CalledFunction.Names(
          body: HookHolder.named("_body_", name),
          hooked: HookHolder.named("_hooked_", name),
          sent: HookHolder.named("_sent_", name),
          slot: "_Calls.\(ClassReader.slot(SelectorName.of(function), []))",
          receiver: "self", bodyOwner: owner.bodyOwner(of: function)), of: owner.name.text)
    }
  }

  private var stored: String { HookHolder.named("_stored_", name) }
  private var place: String {
    property.modifiers.contains {
      $0.detail?.detail.text == "unsafe" && $0.name.text == "nonisolated"
    }
      ? "unsafe \(stored)" : stored
  }

  private func function(
    _ words: [String], _ named: (String) -> String, _ text: String
  ) -> String {
    let names = [("Named", ""), ("SentAs", ":")].compactMap { attribute, end in
      property.attributes.attribute(attribute)?.text.map { text in
        let name = named(text)
        return "@\(attribute)(\(Spelling.literal(name == text ? text : name + end)))"
      }
    }
    return (names + property.attributes.carried + words + ["func \(text)"]).joined(separator: " ")
  }

  /// The modifiers of the functions; `nonisolated(unsafe)` becomes `nonisolated`.
  private var words: [String] {
    property.modifiers.filter { $0.detail?.detail.text != "set" }.map(\.name.text)
      .filter { Self.levels.contains($0) || ["static", "nonisolated"].contains($0) }
  }

  private static let levels = ["open", "public", "package", "internal", "fileprivate", "private"]

  /// The property that has the value.
  var storage: String {
    let kept = property.modifiers.filter {
      $0.detail?.detail.text != "set" && !(Self.levels + ["final"]).contains($0.name.text)
    }
    let value = isOfInstances ? nil : property.bindings.first?.initializer?.trimmedDescription
    // In parts: Swift 6.2 finds the types of the whole expression too hard.
    let words: [String] = property.attributes.carried + ["private"]
    let parts: [String?] = kept.map(\.trimmedDescription) + ["var \(stored): \(type)", value]
    return (words + parts.compactMap(\.self)).joined(separator: " ")
  }

  /// The accessors.
  ///
  /// - Parameter called: The functions.
  /// - Returns: The text of each accessor.
  func accessors(_ called: [CalledFunction]) -> [String] {
    let initializer = """
      @storageRestrictions(initializes: \(stored))
      init(initialValue) { \(stored) = initialValue }
      """
    return (isOfInstances ? [initializer] : [])
      + zip(["get", "set"], called).map { "\($0) {\n\($1.statements(location: ""))\n}" }
  }
}
#endif
