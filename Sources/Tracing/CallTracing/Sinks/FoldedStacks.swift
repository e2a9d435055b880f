/// Weights by stacks.
struct FoldedStacks {
  /// How many different stacks there are, and how many bytes they have.
  struct Limits {
    let count: Int
    let bytes: Int
  }

  private(set) var weights: [String: UInt64] = [:]

  /// The bytes of the stacks, with what a table takes for each.
  private(set) var byteCount = 0

  /// The stack of what is in none of the first stacks.
  private static let others = "(other stacks)"

  mutating func add(_ weight: UInt64, to stack: String, _ limits: Limits) {
    if weights[stack] != nil { return weights[stack, default: 0].addClamped(weight) }
    let count = weights.count - (weights[Self.others] == nil ? 0 : 1)
    let size = stack.utf8.count + 64
    guard count < limits.count, byteCount + size <= limits.bytes else {
      return weights[Self.others, default: 0].addClamped(weight)
    }
    weights[stack] = weight
    byteCount += size
  }

  mutating func add(_ inner: FoldedStacks, inside prefix: String, _ limits: Limits) {
    for (stack, weight) in inner.weights {
      add(weight, to: stack == Self.others ? stack : prefix + stack, limits)
    }
  }
}
