private import BlockRuntimeThreads

/// Metrics by names; their number is bounded, as each is kept by those who collect metrics.
final class NamedMetrics<Metrics: Sendable>: Sendable {
  /// How many names are told apart.
  private static var limit: Int { 1000 }

  /// The name that stands for those above the limit.
  private static var other: String { "other" }

  private let known = Locked<[String: Metrics]>([:])
  private let make: @Sendable (_ name: String) -> Metrics

  init(_ make: @escaping @Sendable (_ name: String) -> Metrics) { self.make = make }

  /// The metrics of a name; made at the first use.
  subscript(name: String) -> Metrics {
    if let metrics = known.withLock({ $0[name] }) { return metrics }
    let isFull = known.withLock { $0.count >= Self.limit }
    if isFull, name != Self.other { return self[Self.other] }
    return known.value(for: name) { make(name) }
  }
}
