/// Valid signatures in which some bytes are changed, removed, inserted or repeated; most are
/// invalid.
public struct MutatedSignatures: Sequence, IteratorProtocol {
  private static let valid = [
    "i20@?0i8d12", "v40@?0{P=dd}8r*24@32", "24@?08", "v16@?0@?<v@?q>8", "{A=ccc}@?",
    "d@?{B=b0i3b3i0}(U=if)", "v@?[4i]^{N}jdAi", "i@?r*^?:#B", "{L=qqqqqqq}@?{L=qqqqqqq}i",
    "v24@0:8@16", "{R=\"x\"i\"o\"@\"S\"}24@?0t8",
  ]

  private var generator: SeededGenerator
  private var remaining: Int

  /// A sequence of mutated signatures.
  public init(count: Int, seed: UInt64 = 7) {
    generator = SeededGenerator(seed: seed)
    remaining = count
  }

  /// The next signature.
  public mutating func next() -> String? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    var bytes = Array((Self.valid.randomElement(using: &generator) ?? "").utf8)
    let alphabet = Array("vcCsSiIlLqQtTfdDB*#:@?^[]{}()<>=\"b0123456789jArnNoORV+- ".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[place] = alphabet.randomElement(using: &generator) ?? 0x76
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(contentsOf: bytes[place...].prefix(5), at: place)
      default: bytes.insert(alphabet.randomElement(using: &generator) ?? 0x76, at: place)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
