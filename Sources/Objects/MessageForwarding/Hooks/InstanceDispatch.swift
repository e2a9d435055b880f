/// Marks the slot of a method that some instance of the class has hooked, and what the cache does
/// not have: messages then look for the receiver's method, with its own hooks.
final class InstanceDispatch: Implementation, @unchecked Sendable {
  static let shared = InstanceDispatch()
}
