/// The mark of a method that messages must look up for each receiver, because some instance of the
/// class has its own, or its own hooks of it, and the cache does not have the receiver's.
final class InstanceDispatch: Implementation, @unchecked Sendable {
  static let shared = InstanceDispatch()
}
