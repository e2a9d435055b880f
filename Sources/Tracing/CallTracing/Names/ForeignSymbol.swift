private import BlockABI

/// Symbols of programs that are not trusted.
enum ForeignSymbol {
  /// A symbol's name may refer to a part of itself again and again: the text doubles with each of
  /// these.
  private static let doublingLimit = 16
  private static let lengthLimit = 4096

  /// The demangled name of a Swift or C++ symbol; the symbol itself if it is another one, or if its
  /// name could be so long that it fills the memory.
  static func name(of symbol: String) -> String {
    symbol.utf8.count <= lengthLimit && doublings(in: symbol) <= doublingLimit
      ? CodeSymbol.name(ofSymbol: symbol) : symbol
  }

  /// How many times the name's text may double: no fewer than the symbol refers to a part of
  /// itself, which Swift's mangling does by `A`, a number of repetitions and letters, and that of
  /// C++ by `S` or `T`.
  private static func doublings(in symbol: String) -> Int {
    let isSwift = symbol.hasPrefix("$")
    var count = 0
    var isReference = false
    for byte in symbol.utf8 {
      let character = UnicodeScalar(byte)
      switch character {
      case "A" where isSwift, "S" where !isSwift, "T" where !isSwift:
        count += 1
        isReference = true
      // A digit of a number of repetitions multiplies by at most ten.
      case "0"..."9" where isSwift && isReference: count += 4
      case "a"..."z" where isSwift && isReference: count += 1
      default: isReference = false
      }
    }
    return count
  }
}
