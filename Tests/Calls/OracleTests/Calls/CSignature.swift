import TestSupport

/// The types of one generated function, by their index in the library.
struct CSignature: Sendable {
  /// Nil for void.
  let result: Int?
  let arguments: [Int]

  /// Makes random signatures of 0 to 20 arguments over the types that can be passed and returned.
  static func random(
    count: Int, seed: UInt64, arguments: [Int], results: [Int], scalars: Set<Int>
  ) -> [CSignature] {
    var random = SeededGenerator(seed: seed)
    let plain = arguments.filter(scalars.contains)
    return (0..<count).map { _ in
      // Some signatures take mostly scalars, so that registers run out in the middle of a record.
      let scalarPercent = Int.random(in: 0...90, using: &random)
      let types = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
        Int.random(in: 0..<100, using: &random) < scalarPercent
          ? plain.randomElement(using: &random) : arguments.randomElement(using: &random)
      }
      let isVoid = Int.random(in: 0..<10, using: &random) == 0
      return CSignature(
        result: isVoid ? nil : results.randomElement(using: &random), arguments: types)
    }
  }
}
