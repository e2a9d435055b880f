/// C's functions that print and read by a format, whose declarations are known.
///
/// A call that does not say how many arguments are declared passes the others as if they were: the
/// number of those in vector registers is then left to chance.
package enum VariadicFunction {
  private static let namedCounts = [
    "printf": 1, "fprintf": 2, "dprintf": 2, "sprintf": 2, "snprintf": 3, "asprintf": 2,
    "scanf": 1, "fscanf": 2, "sscanf": 2,
    "wprintf": 1, "fwprintf": 2, "swprintf": 3, "wscanf": 1, "fwscanf": 2, "swscanf": 2,
    "syslog": 2,
  ]

  /// How many arguments a function's declaration names; nil if the function is not one of these.
  package static func namedCount(of symbol: String) -> Int? { namedCounts[symbol] }

  /// Checks the number of declared arguments that a call is prepared with.
  ///
  /// - Throws: `argumentCount` if it is not that of the function's declaration.
  static func require(_ fixedCount: Int?, of symbol: String) throws(InvocationError) {
    guard let named = namedCount(of: symbol), fixedCount != named else { return }
    throw InvocationError(
      .argumentCount,
      "\(symbol) is variadic: pass fixedArgumentCount: \(named), for its declaration names "
        + named.of("argument"))
  }
}
