// Numbers in messages, as a person would write them.
extension BinaryInteger {
  /// The number with a noun: `1 argument`, `2 arguments`.
  ///
  /// - Parameter noun: The noun in the singular, whose plural has an s more.
  /// - Returns: The number and the noun.
  package func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

  /// The end of a sentence about so many given things: `1 is given`, `2 are given`.
  package var areGiven: String { self == 1 ? "1 is given" : "\(self) are given" }
}
