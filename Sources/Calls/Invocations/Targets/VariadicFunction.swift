private import TypeEncodings

/// A format by which a call says what it passes in place of `...`.
package struct VariadicFormat: Sendable {
  /// The index of the format among the call's arguments.
  package let index: Int

  /// Whether the format is one of `scanf`.
  package let isScanned: Bool
}

/// Variadic functions of the C library, whose declarations are known.
package enum VariadicFunction {
  /// How many arguments the declaration of a known function names; nil for others.
  package static func namedCount(of symbol: String) -> Int? {
    KnownFunctions.namedCount(of: symbol)
  }

  /// The format of a function that prints or reads by one: the last argument that it names.
  package static func format(of symbol: String) -> VariadicFormat? {
    let isScanned = symbol.contains("scanf")
    guard isScanned || symbol.contains("printf") || symbol.contains("syslog"),
      let count = namedCount(of: symbol), count > 0
    else { return nil }
    return VariadicFormat(index: count - 1, isScanned: isScanned)
  }

  /// Checks the number of declared arguments that a call is prepared with.
  ///
  /// A call that does not say it passes the others as if they were declared: the number of those in
  /// vector registers is then left to chance, which functions that print and read numbers feel.
  ///
  /// - Throws: `argumentCount` if it is not that of the function's declaration.
  package static func require(_ fixedCount: Int?, of symbol: String) throws(InvocationError) {
    guard fixedCount != nil || format(of: symbol) != nil, KnownFunctions.isKnown(symbol) else {
      return
    }
    guard let named = namedCount(of: symbol) else {
      throw InvocationError(
        .argumentCount, "\(symbol) is not variadic; leave fixedArgumentCount out")
    }
    guard fixedCount != named else { return }
    throw InvocationError(
      .argumentCount,
      "\(symbol) is variadic: pass fixedArgumentCount: \(named), for its declaration names "
        + named.of("argument"))
  }
}
