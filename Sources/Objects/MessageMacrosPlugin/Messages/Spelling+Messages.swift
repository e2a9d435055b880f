#if Macros
import SwiftSyntax

extension Spelling {
  /// The type of a parameter as that of a value.
  ///
  /// If calls are messages, a parameter that is no value has such a type too: an object for
  /// `inout`, an array for variadic arguments.
  static func asValue(_ parameter: FunctionParameterSyntax, isCalled: Bool) -> String {
    isCalled ? objectOrArray(parameter) ?? asValue(parameter.type) : asValue(parameter.type)
  }

  /// The type of a parameter as in `asValue`, with the attributes that a parameter has, such as
  /// `@escaping`.
  static func asParameter(_ parameter: FunctionParameterSyntax, isCalled: Bool) -> String {
    if isCalled, let type = objectOrArray(parameter) { return type }
    if isCalled, LentParameter(parameter) != nil { return "@escaping \(body(parameter))" }
    let type = optional(parameter.type).trimmedDescription
    return parameter.type.is(AttributedTypeSyntax.self) ? body(parameter) : type
  }

  /// The type of a parameter of a method's body: an array for variadic arguments, a function for an
  /// autoclosure.
  static func body(_ parameter: FunctionParameterSyntax) -> String {
    if parameter.ellipsis != nil { return "[\(parameter.type.trimmed)]" }
    guard parameter.type.has("autoclosure"),
      var type = parameter.type.as(AttributedTypeSyntax.self)
    else { return parameter.type.trimmedDescription }
    type.attributes = type.attributes.filter {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription != "autoclosure"
    }
    return type.trimmedDescription
  }

  private static func objectOrArray(_ parameter: FunctionParameterSyntax) -> String? {
    if parameter.ellipsis != nil { return "[\(asValue(parameter.type))]" }
    guard isInout(parameter), let type = parameter.type.as(AttributedTypeSyntax.self) else {
      return nil
    }
    return "MessageForwarding.InoutArgument<\(optional(type.baseType).trimmed)>"
  }

  /// Whether an argument is passed `inout`.
  static func isInout(_ parameter: FunctionParameterSyntax) -> Bool {
    parameter.type.specifiers.first == "inout"
  }

  /// Why a type cannot be an argument of a call that is a message; nil if it can.
  static func reasonAgainst(calledWith type: TypeSyntax, isAsync: Bool) -> String? {
    guard let attributed = type.as(AttributedTypeSyntax.self) else {
      return reasonAgainst(argument: type, isAsync: isAsync, isCalled: true)
    }
    if type.specifiers.first == "inout" {
      return isAsync
        ? "is inout: it cannot wait for hooks; return the value"
        : reasonAgainst(argument: attributed.baseType, isAsync: false)
    }
    return type.has("autoclosure")
      ? reasonAgainst(answer: attributed.baseType)
      : reasonAgainst(argument: type, isAsync: isAsync, isCalled: true)
  }

  /// The type of a parameter as that of a value, without `@escaping` and the like.
  static func asValue(_ type: TypeSyntax) -> String {
    guard let attributed = type.as(AttributedTypeSyntax.self) else {
      return optional(type).trimmedDescription
    }
    let kept = attributed.attributes.filter {
      !["escaping", "autoclosure"]
        .contains($0.as(AttributeSyntax.self)?.attributeName.trimmedDescription)
    }.map { $0.trimmedDescription + " " }
    return "\(kept.joined())\(attributed.baseType.trimmed)"
  }

  /// Why a type cannot be an argument of a message; nil if it can.
  static func reasonAgainst(
    argument type: TypeSyntax, isAsync: Bool, isCalled: Bool = false
  ) -> String? {
    if let reason = reasonAgainst(answer: type) { return reason }
    if let specifier = type.specifiers.first { return "is \(specifier)" }
    if type.has("autoclosure") { return "is an autoclosure" }
    if isVoid(type) { return "is Void, which passes nothing; leave it out" }
    if isTuple(type) { return "is a tuple; take a structure" }
    if isNonescapingFunction(type), !isCalled || LentParameter(type) == nil {
      return "is a function that does not escape; write @escaping"
    }
    if isAsync, isFunction(type), !isSendable(type) {
      return "is a function that is not Sendable; write @Sendable"
    }
    return nil
  }

  /// Why a type cannot be the answer of a message; nil if it can.
  static func reasonAgainst(answer type: TypeSyntax) -> String? {
    if type.specifiers.first == "sending" {
      return "is sending, and a hook could keep it; write a Sendable type without that"
    }
    for token in type.tokens(viewMode: .sourceAccurate) {
      switch token.tokenKind {
      case .keyword(.Self): return "is of the type Self; write the class"
      case .keyword(.some): return "is of an opaque type; write `any`"
      case .identifier("convention"): return "is a C function or a block; take a Block"
      default: continue
      }
    }
    return nil
  }

  /// Whether a type says `some`.
  static func isOpaque(_ type: TypeSyntax?) -> Bool {
    type?.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.some) } ?? false
  }

  static func isNonescapingFunction(_ type: TypeSyntax) -> Bool {
    let type = type.withoutBrackets
    guard let attributed = type.as(AttributedTypeSyntax.self) else {
      return type.is(FunctionTypeSyntax.self)
    }
    return isNonescapingFunction(attributed.baseType) && !type.has("escaping")
  }

  /// Whether a function's type says that it is Sendable; for an Optional, whether the wrapped type
  /// does.
  private static func isSendable(_ function: TypeSyntax) -> Bool {
    let type = function.withoutBrackets
    if let optional = type.as(OptionalTypeSyntax.self) { return isSendable(optional.wrappedType) }
    guard let attributed = type.as(AttributedTypeSyntax.self) else { return false }
    return type.has("Sendable") || isSendable(attributed.baseType)
  }

  /// The type of a property: the written one, which may stand after a later property, or that of
  /// its initial value.
  static func type(
    of binding: PatternBindingSyntax, before others: ArraySlice<PatternBindingSyntax>
  ) -> String? {
    let isWritten = binding.typeAnnotation != nil || binding.initializer == nil
    let annotated = isWritten ? ([binding] + others).first { $0.typeAnnotation != nil } : nil
    if let type = annotated?.typeAnnotation?.type {
      return reasonAgainst(answer: type) == nil ? asValue(type) : nil
    }
    guard let value = binding.initializer?.value else { return nil }
    if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if value.is(FloatLiteralExprSyntax.self) { return "Double" }
    if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if value.is(StringLiteralExprSyntax.self) { return "String" }
    return madeType(by: value)
  }

  /// The type that a call makes a value of, as `[Int](1...3)` and `Date()` do; nil if the value's
  /// type may be another.
  ///
  /// The name of a function is not capitalised; an initialiser with arguments may return nil,
  /// unless it is that of an array or a dictionary, or infer the arguments of a generic type.
  private static func madeType(by value: ExprSyntax) -> String? {
    guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
    var type = call.calledExpression
    if let member = type.as(MemberAccessExprSyntax.self),
      member.declName.baseName.tokenKind == .keyword(.`init`), let base = member.base
    {
      type = base
    }
    let isMade =
      type.is(ArrayExprSyntax.self) || type.is(DictionaryExprSyntax.self)
      || call.arguments.isEmpty && call.trailingClosure == nil && isTypeName(type)
    return isMade ? type.trimmedDescription : nil
  }

  /// Whether an expression is the name of a type, with its arguments or without.
  private static func isTypeName(_ expression: ExprSyntax) -> Bool {
    if let generic = expression.as(GenericSpecializationExprSyntax.self) {
      return isTypeName(generic.expression)
    }
    let name =
      expression.as(MemberAccessExprSyntax.self)?.declName
      ?? expression.as(DeclReferenceExprSyntax.self)
    return name.map { $0.argumentNames == nil && $0.baseName.text.first?.isUppercase == true }
      ?? false
  }
}

extension PatternBindingSyntax {
  /// Whether the property has a setter, or is stored.
  var canBeSet: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors):
      accessors.contains {
        ["set", "_modify", "willSet", "didSet"].contains($0.accessorSpecifier.text)
      }
    }
  }

  /// The effects of the getter.
  var effects: AccessorEffectSpecifiersSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.lazy.compactMap(\.effectSpecifiers).first
  }
}
#endif
