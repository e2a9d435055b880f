private import TypeEncodings

/// How a call says what it passes in place of `...`: by a format, or by a null pointer at the end.
package struct VariadicFormat: Sendable {
  /// The index of the format, or of the first text of a list, among the call's arguments.
  package let index: Int

  /// Whether the format is one of `scanf`; nil for texts up to a null pointer.
  package let isScanned: Bool?

  /// How many pointers follow the null one.
  var followingCount = 0
}

/// Variadic functions of the C library, whose declarations are known.
package enum VariadicFunction {
  /// How many arguments the declaration of a known function names; nil for other functions.
  package static func namedCount(of symbol: String) -> Int? {
    KnownFunctions.namedCount(of: symbol)
  }

  /// How calls of a function say what they pass, by the last argument that the declaration names.
  package static func format(of symbol: String) -> VariadicFormat? {
    guard KnownFunctions.takesText(symbol), let count = namedCount(of: symbol) else { return nil }
    if symbol.hasPrefix("exec") {
      // The environment of `execle` is behind the texts.
      return VariadicFormat(
        index: count - 1, isScanned: nil, followingCount: symbol == "execle" ? 1 : 0)
    }
    return VariadicFormat(index: count - 1, isScanned: symbol.contains("scanf"))
  }

  /// Whether the format of a function is text of `wchar_t`.
  package static func isWide(_ symbol: String) -> Bool {
    symbol.contains("wprintf") || symbol.contains("wscanf")
  }

  /// Checks the number of declared arguments that a call is prepared with.
  ///
  /// A call that is prepared without the number passes all arguments as if they were declared. The
  /// number of vector registers in use is then left to chance, on which functions that print and
  /// read numbers rely.
  ///
  /// - Throws: `argumentCount` if the number is not that of the function's declaration.
  package static func require(_ fixedCount: Int?, of symbol: String) throws(InvocationError) {
    guard fixedCount != nil || format(of: symbol)?.isScanned != nil, KnownFunctions.isKnown(symbol)
    else {
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
