import KeyValueObserving

extension ObservingOptions {
  /// All that an observer can ask for.
  static let everything: ObservingOptions = [.initial, .old, .new, .prior, .distinct]
}
