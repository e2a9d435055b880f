package import BlockHooks
package import Invocations

extension Tracer {
  /// The hook that records calls of some code; nil if the tracer's patterns leave it out.
  ///
  /// - Parameters:
  ///   - address: The code.
  ///   - interface: How it is called.
  ///   - hiddenArgumentCount: How many arguments the caller does not write: 1 for blocks, else 0.
  ///   - title: What it is called in records; the name of its function if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out.
  /// - Returns: The hook.
  package func definition(
    forCodeAt address: UnsafeRawPointer?, _ interface: CallInterface, hiddenArgumentCount: Int,
    title: String? = nil, name: String?, priority: Int
  ) -> HookDefinition? {
    codes.forgetWhatWasUnloaded()
    let code = unsafe codes.code(
      at: address, interface, hidden: hiddenArgumentCount, options, title: title)
    guard code.isIncluded else { return nil }
    return HookDefinition(.instead, name: name, priority: priority) { call in
      try self.record(&call, as: code) { call in try call.proceed() }
    }
  }
}
