/// The elements with the largest numbers, such as durations, the largest first.
struct Longest<Element> {
  private(set) var all: [Element] = []

  private let limit: Int
  private let number: @Sendable (Element) -> UInt64?

  /// Only larger numbers are among the largest.
  private var bound: UInt64 = 0

  /// - Parameters:
  ///   - limit: How many there are at most.
  ///   - number: The number of an element; nil if it is none of those.
  init(limit: Int = 10, _ number: @escaping @Sendable (Element) -> UInt64?) {
    (self.limit, self.number) = (limit, number)
  }

  mutating func add(_ element: Element) {
    guard let number = number(element), number > bound else { return }
    let place = all.firstIndex { (self.number($0) ?? 0) < number } ?? all.count
    all.insert(element, at: place)
    guard all.count > limit else { return }
    all.removeLast()
    bound = all.last.flatMap(self.number) ?? bound
  }

  /// The elements whose numbers are at least as large as one.
  func above(_ number: UInt64) -> [Element] { all.filter { (self.number($0) ?? 0) >= number } }
}
