#if Macros
import SwiftSyntax

/// The text of the declarations that `@Hookable` makes for a function, beside those of its body.
struct HookableFunctionText {
  let called: CalledFunction

  private let holder: HookHolder

  /// The attribute of the global actor to which the function is isolated; nil for none.
  private let actor: String?

  /// The type that has the method, as the method's code names it.
  private let ownType: String

  /// The name of the target, without the dollar.
  private let name: String

  init(
    _ called: CalledFunction, _ holder: HookHolder, ownType: String, actor: String?, name: String
  ) {
    (self.called, self.holder, self.ownType, self.actor) = (called, holder, ownType, actor)
    self.name = name
  }

  /// The name of the type whose method the function is; nil for others.
  private var owner: String? { holder.owner }

  private var function: FunctionDeclSyntax { called.function }

  /// The type of the receiver, as messages have it.
  private var receiver: [String] {
    guard owner != nil else { return [] }
    if called.isOfClass { return ["\(ownType).Type"] }
    return [
      called.modifiers.contains("mutating")
        ? "MessageForwarding.InoutArgument<\(ownType)>" : ownType
    ]
  }

  /// The types of a function with the receiver and the arguments, as messages have them.
  private var parameters: [String] {
    receiver + called.signature.parameters.map { Spelling.asParameter($0, isCalled: true) }
  }

  private var answer: String {
    let type = called.signature.returnClause?.type
    return Spelling.isVoid(type) ? "Void" : type.map(Spelling.asValue) ?? "Void"
  }

  /// The full name of the function, which is its selector: it has a colon for each argument.
  private var selector: String {
    let isOperator = if case .identifier = function.name.tokenKind { false } else { true }
    let labels = called.parameters.map {
      isOperator ? "_:" : Spelling.bare($0.firstName.text) + ":"
    }
    return (owner.map { "\($0)." } ?? "") + name
      + "(\(((owner == nil ? [] : ["self:"]) + labels).joined()))"
  }

  private var method: String {
    let names = (owner == nil ? [] : ["receiver"]) + called.arguments
    let object = "MessageForwarding.HookedFunctionObject"
    guard !called.isAsync, let actor else {
      let list = zip(names, parameters).map { ", \($0): \($1)" }.joined()
      let effects = (called.isAsync ? " async" : "") + (called.isThrowing ? " throws" : "")
      return """
        MessageForwarding.Method(\(Spelling.literal(selector))) { (_: \(object)\(list))\(effects) -> \(answer) in
              \(called.callOfBody)
            }
        """
    }
    let head = names.isEmpty ? "" : "(\(names.joined(separator: ", "))) in "
    let effects = called.isThrowing ? " throws" : ""
    return """
      MessageForwarding.Method(\(Spelling.literal(selector)), { _ in { \(head)\(called.callOfBody) } }
            as @Sendable (\(object)) -> \(actor) (\(parameters.joined(separator: ", ")))\(effects) -> \(answer))
            .isolated(to: \(actor.dropFirst()).shared)
      """
  }

  /// The type of the target.
  private var target: String {
    let values = receiver + called.signature.parameters.map { Spelling.asValue($0, isCalled: true) }
    let arguments = values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
    let outcome = called.isAsync ? "MessageForwarding.AsyncAnswer<\(answer)>" : answer
    let list = parameters.joined(separator: ", ")
    let effects = called.isAsync ? "async throws" : "throws"
    let original = "\(called.isAsync ? "@Sendable " : "")(\(list)) \(effects) -> \(answer)"
    let all = ["_ original: \(original)"] + parameters
    return
      "MessageForwarding.HookableFunction<\(arguments), \(outcome), @Sendable (\(all.joined(separator: ", "))) \(effects) -> \(answer)>"
  }

  /// Makes the body of a typed hook.
  private var wrapping: String {
    let names = parameters.indices.map { "value\($0)" }
    let list = names.joined(separator: ", ")
    let passed = names.count == 1 ? list : "(\(list))"
    let values = names.indices.map { names.count == 1 ? "arguments" : "arguments.\($0)" }
    let head = names.isEmpty ? "" : "\(list) in "
    let (begin, end) =
      called.isAsync
      ? ("return MessageForwarding.AsyncAnswer { try await ", " }") : ("return try ", "")
    let call =
      called.isAsync
      ? "try await original.call(\(holder.object), \(passed)).value"
      : "try original.call(function, \(passed))"
    let original = "{ \(head)\(call) }"
    return """
      { handler in
            { original in
              MessageForwarding.MethodBody { function, arguments in
                \(begin)handler(\(([original] + values).joined(separator: ", ")))\(end)
              }
            }
          }
      """
  }

  /// The access of the target, by that of the function; a private function can be hooked in its
  /// file.
  private static let access = [
    "open": "public ", "public": "public ", "package": "package ", "fileprivate": "fileprivate ",
    "private": "fileprivate ",
  ]

  private var available: String {
    function.attributes.carried.filter { $0.hasPrefix("@available") }.map { $0 + "\n" }.joined()
  }

  /// The head of a variable, or of a function of the generic types.
  private func head(_ name: String, _ type: String) -> String {
    guard let parameters = holder.parameters else { return "var \(name): \(type)" }
    let clauses = called.genericClauses
    return "func \(name)\(clauses.parameters)\(parameters) -> \(type)\(clauses.conditions)"
  }

  /// The declaration of the holder of the slot and the object.
  ///
  /// - Parameter file: The name of the function's file.
  /// - Returns: The declaration.
  func holder(in file: String) -> String {
    holder.isFound
      ? """
      \(available)nonisolated private \(owner == nil ? "" : "static ")\(head(holder.name, "MessageForwarding.HookedFunctionObject")) {
        .of(\(holder.key(ownType)).self, \(Spelling.literal("\(file) \(selector)"))) { calls in
          \(method).called { calls.set($0) }
        }
      }
      """
      : """
      \(available)nonisolated private enum \(holder.name) {
        // In a generic type or an extension of a protocol, write @Hookable(.eachType).
        static let calls = MessageForwarding.CallSlot()
        static let function: MessageForwarding.HookedFunctionObject = MessageForwarding.HookedFunctionObject(
          \(method).called { calls.set($0) })
      }
      """
  }

  /// The target that has the hooks.
  ///
  /// - Parameters:
  ///   - property: The name of a property, whose setter is in the target too.
  ///   - setter: The setter.
  /// - Returns: The declaration.
  func target(of property: String? = nil, _ setter: HookableFunctionText? = nil) -> String {
    let access = called.modifiers.lazy.compactMap { Self.access[$0] }.first ?? ""
    let name = property ?? name
    let targets = [self, setter].compactMap { $0 }
    let types = targets.map(\.target)
    let all = setter == nil ? types[0] : "(get: \(types[0]), set: \(types[1]))"
    let values = targets.map { ".init(\($0.holder.object)) \($0.wrapping)" }
    // The compiler shows the comment if two functions have a target of one name.
    let hint =
      "Of overloads \(owner == nil ? "in a type " : "")each can have a target: write @HookableAs(\"…\")."
    return """
      /// The target that has the hooks of `\(selector)`\(setter == nil ? "" : ", and that of its setter").
      \(available)nonisolated \(access)\(owner == nil ? "" : "static ")\(head(HookHolder.named("$", name), all)) {
        // \(hint)
        \(setter == nil ? values[0] : "(\(values.joined(separator: ", ")))")
      }
      """
  }
}
#endif
