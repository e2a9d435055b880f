/// An object that calls a closure when its last reference is released.
package final class AtEnd: Sendable {
  private let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
