#if Macros
import SwiftSyntax

/// A parameter of a called function whose argument is a function that does not escape: hooks get
/// another function, which calls it until the call ends.
struct LentParameter {
  /// The type of the argument as a value.
  private let type: String

  private let function: FunctionTypeSyntax

  /// Reads a parameter; nil if its argument is not such a function.
  init?(_ parameter: FunctionParameterSyntax) {
    guard parameter.ellipsis == nil else { return nil }
    self.init(parameter.type)
  }

  /// Reads a type; nil if it is not that of such a function, or the function takes what cannot be
  /// passed on.
  init?(_ type: TypeSyntax) {
    guard Spelling.isNonescapingFunction(type), let function = Self.function(in: type),
      function.parameters.allSatisfy({ parameter in
        parameter.ellipsis == nil && !parameter.type.has("autoclosure")
          && parameter.type.specifiers.allSatisfy { $0 == "inout" }
      })
    else { return nil }
    self.type = Spelling.asValue(type)
    self.function = function
  }

  private static func function(in type: TypeSyntax) -> FunctionTypeSyntax? {
    let type = type.withoutBrackets
    if let type = type.as(AttributedTypeSyntax.self) { return function(in: type.baseType) }
    return type.as(FunctionTypeSyntax.self)
  }

  /// The errors that the function throws; nil if it throws none.
  private var throwsClause: ThrowsClauseSyntax? {
    function.effectSpecifiers?.throwsClause.flatMap { Spelling.isThrowing($0) ? $0 : nil }
  }

  /// The text that lends an argument to the hooks of a call.
  ///
  /// - Parameters:
  ///   - name: The name of the argument.
  ///   - value: The argument.
  ///   - marks: The marks of the call.
  ///   - arrow: The type of the call's answer after an arrow; empty if the compiler infers that.
  ///   - call: The call, which has `function_` before the name as an argument.
  /// - Returns: The expression.
  func lending(
    _ name: String, _ value: String, marks: String, arrow: String, to call: String
  ) -> String {
    let values = function.parameters.indices.enumerated().map { "value\($0.offset)" }
    let passed = zip(values, function.parameters).map { value, parameter in
      (parameter.type.specifiers.isEmpty ? "" : "&") + value
    }
    let mark = function.effectSpecifiers?.asyncSpecifier == nil ? "" : "await "
    let own = "\(mark)unsafe lent_\(name).function(\(passed.joined(separator: ", ")))"
    let errors = throwsClause.map { $0.type == nil ? "" : "\($0.trimmed) " }
    let statement =
      errors.map {
        "do \($0){ return try \(own) } catch { lent_\(name).noteError(); throw error }"
      } ?? "return \(own)"
    let effects = function.effectSpecifiers.map { " \($0.trimmed)" } ?? ""
    let head =
      "(\(values.joined(separator: ", ")))\(effects) -> \(function.returnClause.type.trimmed) in"
    return """
      \(marks)withoutActuallyEscaping(\(value)) { (escaping_\(name))\(arrow) in
          let lent_\(name) = MessageForwarding.LentFunction(escaping_\(name))
          defer { lent_\(name).end() }
          let function_\(name): \(type) = { \(head) \(statement) }
          return \(call)
        }
      """
  }
}
#endif
