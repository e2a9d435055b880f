/// Values by the keys that a stream gave them, of which those are kept that were used last.
///
/// Streams are not trusted, and programs run for long: what they describe has no end, and what is
/// kept of it needs one. There are two generations. A value that is used comes to the younger one;
/// when that has half of the limit, the elder one is forgotten. Each operation takes constant time.
package struct RecentValues<Key: Hashable, Value> {
  private var younger: [Key: Value] = [:]
  private var elder: [Key: Value] = [:]

  /// The weights of the younger ones.
  private var weight = 0
  private let half: Int
  private let weigh: @Sendable (Value) -> Int

  /// How many values were forgotten.
  package private(set) var forgottenCount = 0

  /// - Parameters:
  ///   - limit: The sum of the weights of the values that are kept.
  ///   - weigh: The weight of a value: 1 if that is not given.
  package init(limit: Int, weigh: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
    half = limit / 2
    self.weigh = weigh
  }

  /// How many values there are.
  package var count: Int { younger.count + elder.count }

  /// The values with their keys.
  package var all: [(key: Key, value: Value)] { Array(younger) + Array(elder) }

  /// The value of a key; nil if there is none, or if it is forgotten.
  package subscript(key: Key) -> Value? {
    mutating get {
      if let known = younger[key] { return known }
      return elder[key] == nil ? nil : update(key) { $0 }
    }
    set {
      update(key) { $0 = newValue }
      trim()
    }
  }

  /// The value of a key, which is not used thereby.
  package func known(_ key: Key) -> Value? { younger[key] ?? elder[key] }

  /// Changes, adds or removes the value of a key, in place.
  ///
  /// A value with more than half of the limit is forgotten.
  package mutating func update<Result>(_ key: Key, _ body: (inout Value?) -> Result) -> Result {
    let (result, change, isTooLarge) = Self.update(
      &younger[key], key, from: &elder, weigh, half, body)
    weight += change
    if isTooLarge { forgottenCount += 1 }
    return result
  }

  private static func update<Result>(
    _ value: inout Value?, _ key: Key, from elder: inout [Key: Value],
    _ weigh: (Value) -> Int, _ half: Int, _ body: (inout Value?) -> Result
  ) -> (Result, change: Int, isTooLarge: Bool) {
    let old = value.map(weigh) ?? 0
    if value == nil, !elder.isEmpty { value = elder.removeValue(forKey: key) }
    let result = body(&value)
    let new = value.map(weigh) ?? 0
    guard new > half else { return (result, new - old, false) }
    value = nil
    return (result, -old, true)
  }

  /// Forgets the elder values, if the younger ones have half of the limit.
  ///
  /// - Returns: Those that were forgotten.
  @discardableResult
  package mutating func trim() -> [Key: Value].Values {
    guard weight >= half else { return [:].values }
    let forgotten = elder
    forgottenCount += forgotten.count
    (elder, younger, weight) = (younger, [:], 0)
    return forgotten.values
  }
}
