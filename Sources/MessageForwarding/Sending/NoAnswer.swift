/// The answer of who asks for none.
@usableFromInline
enum NoAnswer {
  /// The empty tuple, if that is the type; a cast would make an object or an Any of it too.
  @inlinable
  @inline(__always)
  static func value<Outcome>(of type: Outcome.Type) -> Outcome? {
    Outcome.self == Void.self ? () as? Outcome : nil
  }
}
