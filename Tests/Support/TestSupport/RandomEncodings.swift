/// Generates random valid encodings and signatures of every dialect.
public struct RandomEncodings {
  private var generator: SeededGenerator

  /// Creates a generator with a seed.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices.randomElement(using: &generator) ?? ""
  }

  private mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &generator)
  }

  /// A type with qualifiers, whose nesting is at most `depth`.
  public mutating func type(depth: Int = 4) -> String {
    let qualifiers = chance(15) ? pick(["r", "n", "N", "o", "O", "R", "V", "A", "rA", "Vn"]) : ""
    return qualifiers + unqualifiedType(depth: depth)
  }

  private mutating func unqualifiedType(depth: Int) -> String {
    guard depth > 0, chance(55) else {
      return pick([
        "c", "C", "s", "S", "i", "I", "l", "L", "q", "Q", "t", "T", "B", "f", "d", "D", "v", "*",
        "#", ":", "?", "@", "@?", "^?", "^v", "jf", "jd", "jD", " ", "@\"NSString\"", "@\"<P>\"",
        "@\"C<P><Q>\"", "{opaque}", "(opaque)", "{?}",
      ])
    }
    switch number(below: 6) {
    case 0: return "^" + type(depth: depth - 1)
    case 1: return "[\(number(below: 40))" + type(depth: depth - 1) + "]"
    case 2: return "@?<" + signature(depth: depth - 1, hasOffsets: false) + ">"
    case 3: return "(" + tag() + "=" + fields(depth: depth - 1) + ")"
    default: return "{" + tag() + "=" + fields(depth: depth - 1) + "}"
    }
  }

  private mutating func tag() -> String {
    pick(["?", "??", "P", "CGRect", "_a1", "ns::T<int, f(x)>", "vector<pair<int, long>>", "Ä", ""])
  }

  private mutating func fields(depth: Int) -> String {
    let areNamed = chance(30)
    return (0..<number(below: 5)).map { index in
      let name = areNamed ? "\"f\(index)\"" : ""
      if chance(15) { return name + bitField() }
      let type = type(depth: depth)
      // A class name before a field name would be parsed as the field name, so named fields have
      // none.
      return name + (areNamed && type.hasSuffix("\"") ? "@" : type)
    }.joined()
  }

  private mutating func bitField() -> String {
    chance(50)
      ? "b\(number(below: 40))"
      : "b\(number(below: 200))" + pick(["i", "I", "c", "q", "B", "S"]) + "\(number(below: 40))"
  }

  /// A signature; with offsets each type has one, some with register marks or signs.
  public mutating func signature(depth: Int = 3, hasOffsets: Bool) -> String {
    var text = type(depth: depth)
    if hasOffsets { text += "\(number(below: 100))" }
    for _ in 0..<number(below: 6) {
      text += type(depth: depth)
      guard hasOffsets else { continue }
      text += pick(["", "", "", "+", "-"]) + "\(1 + number(below: 500))"
    }
    return text
  }
}
