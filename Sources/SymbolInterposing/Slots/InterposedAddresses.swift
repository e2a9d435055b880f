private import BlockRuntimeThreads

/// The addresses of all code that stands in for functions; such code is never freed.
enum InterposedAddresses {
  private static let functions = Locked<[UInt: UInt]>([:])

  /// Notes that code stands in for a function.
  static func insert(_ code: UInt, for function: UInt) {
    functions.withLock { $0[code] = function }
  }

  /// Whether an address is one of them.
  static func contains(_ code: UInt) -> Bool { functions.withLock { $0[code] != nil } }

  /// The function that code stands in for; any other address itself.
  static func function(behind code: UInt) -> UInt { functions.withLock { $0[code] ?? code } }
}
