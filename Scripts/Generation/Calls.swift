/// Calls of blocks and of C functions with values of Swift types.
struct Calls {
  let type: String
  let noun: String
  let function: String
  /// The place in the signature of the first value.
  let firstIndex: Int
  let header: String
  let safety: String

  private func call(_ arity: Arity, hasResult: Bool) -> String {
    let first = """
        ///
        /// It does the same as `\(function)(_:returning:)` for any number of values. If every value, and the
        /// result, is a number or a pointer of exactly the type in the signature, and registers suffice
        /// for them, the call costs little more than a direct one.
        ///
        /// - Parameter type: The Swift type of the result.
        /// - Returns: The result.
        /// - Throws: As `\(function)(_:returning:)` for any number of values.

      """
    let isFirst = arity.count == 0 && hasResult
    let indexed = zip(arity.types, arity.names).enumerated().map {
      (type: $1.0, name: $1.1, index: $0 + firstIndex)
    }
    let conditions =
      [
        "call.isPlain(\(arity.count + firstIndex)\(hasResult ? ", Result.self" : ""))"
      ] + indexed.map { "call.takes(\($0.type).self, at: \($0.index))" }
    let stores = indexed.map { ".set(\($0.name), at: \($0.index))" }.joined()
    let parameters = arity.parameters() + (arity.count > 0 && hasResult ? ", " : "")
    let packed = list(arity.names + (hasResult ? ["returning: type"] : []))
    return """
        /// Calls the \(noun) with \(arity.counted("value"))\
      \(hasResult ? "" : " and ignores its result")\
      \(isFirst ? "; the following overloads take one to eight" : "").
      \(isFirst ? first : "")\
        @_transparent
        public func \(function)\(generic(arity.types + (hasResult ? ["Result"] : [])))(
          \(parameters)\(hasResult ? "returning type: Result.Type = Result.self" : "")
        ) throws(InvocationError)\(hasResult ? " -> Result" : "") {
          let call = unsafe scalarCall
          guard unsafe \(conditions.joined(separator: " && "))
          else { return try callPacked(\(packed)) }
          \(hasResult ? "return " : "")unsafe call.make(keeping: self\
      \(hasResult ? ", Result.self" : "")) { unsafe $0\(stores) }
        }
      """
  }

  var text: String {
    let calls = [true, false].flatMap { hasResult in
      Arity.all.map { call($0, hasResult: hasResult) }
    }
    return """
      \(header)
      // The compiler does not specialise parameter packs. It prefers these overloads to those for any
      // number of values, and specialises them.

      extension \(type) {
      \(safety)

      \(calls.joined(separator: "\n\n"))
      }

      """
  }
}
