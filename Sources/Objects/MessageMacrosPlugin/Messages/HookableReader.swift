#if Macros
import SwiftParser
import SwiftSyntax

/// Why a function is not hookable, with the way round.
struct HookableRefusal: Error { let reason: String }

/// Reads the declaration of a function that is to be hookable, and the declarations around it.
struct HookableReader {
  private let function: FunctionDeclSyntax

  /// Whether each type has the method by itself.
  private let isOfEachType: Bool

  /// The declarations around the function, the innermost first.
  private let context: [Syntax]

  /// The name in those of the declarations that are made, the target's name, and the holder's.
  private let name, target, holder: String

  /// Whether the attribute names the target.
  private let isNamed: Bool

  init(_ function: FunctionDeclSyntax, _ attribute: AttributeSyntax, _ context: [Syntax]) {
    (self.function, self.context) = (OpaqueParameters.named(function), context)
    isNamed = Spelling.lastName(of: attribute.attributeName) == "HookableAs"
    let count = attribute.arguments?.as(LabeledExprListSyntax.self)?.count ?? 0
    isOfEachType = count > (isNamed ? 1 : 0)
    name = isNamed ? attribute.text ?? "" : Spelling.bare(function.name.text)
    target = name
    holder = HookHolder.named("_Hooks_", name)
  }

  /// Creates the reader of a function that stands for the uses of a stored property.
  init(_ function: FunctionDeclSyntax, of property: String, holder: String, _ context: [Syntax]) {
    (self.function, self.context, name, self.holder) = (function, context, property, holder)
    isOfEachType = context.contains { Self.isGeneric($0) }
    (target, isNamed) = (Spelling.bare(function.name.text), false)
  }

  /// Whether a parameter's type was opaque.
  private var hasNamedTypes: Bool {
    function.genericParameterClause?.parameters.contains { $0.name.text == "Some0" } ?? false
  }

  private var modifiers: [String] { function.modifiers.names }
  private var isAsync: Bool { function.signature.effectSpecifiers?.asyncSpecifier != nil }
  private var group: (any DeclGroupSyntax)? {
    context.first?.asProtocol((any DeclGroupSyntax).self)
  }

  /// The name of the type whose method the function is.
  private var owner: String? {
    context.first?.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
      ?? context.first?.asProtocol((any NamedDeclSyntax).self)?.name.text
  }

  /// The attribute of the global actor to which the function is isolated.
  private var actor: String? {
    modifiers.contains("nonisolated")
      ? nil : function.attributes.globalActor ?? group?.attributes.globalActor
  }

  /// The type that has the method, as the method's code names it.
  private var ownType: String {
    // `Self` of a class cannot be in a target's type, and a protocol's name is no type of values.
    isOfEachType && group?.is(ClassDeclSyntax.self) != true ? "Self" : owner ?? ""
  }

  func read() -> Result<HookableFunctionText, HookableRefusal> {
    let holder = HookHolder(holder, owner: owner, isOfEachType: isOfEachType, of: function)
    let called = CalledFunction(
      function, holder.names(name), of: ownType, passing: owner == nil ? nil : "receiver")
    if let reason = reason(called.signature) ?? called.reasonAgainst {
      return .failure(HookableRefusal(reason: reason))
    }
    return .success(
      HookableFunctionText(called, holder, ownType: ownType, actor: actor, name: target))
  }

  private func reason(_ signature: FunctionSignatureSyntax) -> String? {
    reasonOfPlace ?? reasonOfHead ?? reason(signature.parameters)
      ?? signature.returnClause.flatMap { Spelling.reasonAgainst(answer: $0.type) }
      .map { "its result \($0)" }
  }

  private var reasonOfPlace: String? {
    if isNamed, !name.isValidSwiftIdentifier(for: .memberAccess) {
      return "its target's name is no identifier in quotation marks"
    }
    guard !context.isEmpty else {
      return isOfEachType ? "it is a method of no type; write @Hookable" : nil
    }
    guard let group else { return "it stands in a function; declare it outside" }
    if group.is(ProtocolDeclSyntax.self) {
      return "it is a requirement; write the attribute before the methods of the types"
    }
    if !isOfEachType, context.contains(where: Self.isGeneric) {
      return "its type is generic; write @Hookable(.eachType)"
    }
    if group.inheritanceClause?.trimmedDescription.contains("~Copyable") == true {
      return "its values cannot be copied; let it call a function outside"
    }
    if group.is(ActorDeclSyntax.self), !isAsync, !modifiers.contains("nonisolated"),
      !modifiers.contains("static"), actor == nil
    {
      return "the actor cannot wait for hooks; write async"
    }
    return nil
  }

  private static func isGeneric(_ outer: Syntax) -> Bool {
    let clause = outer.asProtocol((any WithGenericParametersSyntax).self)
    return clause?.genericParameterClause != nil || clause?.genericWhereClause != nil
      || outer.as(ExtensionDeclSyntax.self)?.genericWhereClause != nil
  }

  private var reasonOfHead: String? {
    if let generics = function.genericParameterClause {
      let conditions = generics.description + (function.genericWhereClause?.description ?? "")
      if conditions.contains("~") || generics.parameters.contains(where: { $0.specifier != nil }) {
        return
          "it is generic in a list of types, a value, or what cannot be copied; let it call a function of certain types"
      }
      if Spelling.isOpaque(function.signature.returnClause?.type), hasNamedTypes {
        return "its result and an argument are of opaque types; write <T: P> for the argument's"
      }
    }
    return modifiers.contains("override")
      ? "it overrides a method; write @Messages(.calls) before the class" : nil
  }

  private func reason(_ parameters: [FunctionParameterSyntax]) -> String? {
    let limit = owner == nil ? 8 : 7
    if parameters.count > limit { return "it has more than \(limit) arguments; take a structure" }
    for parameter in parameters {
      guard let reason = Spelling.reasonAgainst(calledWith: parameter.type, isAsync: isAsync)
      else { continue }
      let name = (parameter.secondName ?? parameter.firstName).text
      return "its argument `\(Spelling.bare(name))` \(reason)"
    }
    return isAsync && modifiers.contains("mutating")
      ? "it is mutating: it cannot wait for hooks; return the value" : nil
  }
}
#endif
