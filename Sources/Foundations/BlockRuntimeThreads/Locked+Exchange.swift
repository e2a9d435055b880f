extension Locked {
  /// Replaces the value.
  ///
  /// - Parameter new: The new value.
  /// - Returns: The previous value, which is released under no lock: the function is not inlined,
  ///   because the compiler could release a value that is not used earlier.
  @inline(never) @discardableResult
  package borrowing func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

extension GatedLock {
  /// Replaces the value, as that of a `Locked`.
  @inline(never) @discardableResult
  package borrowing func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}
