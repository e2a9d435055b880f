internal import TypeEncodings

extension Block {
  /// The block as a value of a Swift type, which is checked against its signature.
  ///
  /// - Parameter type: A block type such as `(@convention(block) (Int32) -> Int32).self`.
  /// - Returns: The same block, retained.
  /// - Throws: `notABlock`, `noSignature`, `invalidSignature`; `typeMismatch` with the
  ///   differences.
  @_transparent
  public func value<Value>(as type: Value.Type) throws(BlockError) -> Value {
    try requireSignature(of: Value.self)
    // SAFETY: `Value` is a block type, which is one pointer. The result of the cast is a copy, with
    // a reference of its own.
    let value = unsafe unsafeBitCast(pointer, to: Value.self)
    withExtendedLifetime(self) {}
    return value
  }

  // SAFETY: the address is valid while the reference lives; callers extend this value's lifetime.
  @usableFromInline
  var pointer: UnsafeRawPointer { unsafe reference.pointer }

  /// Checks that a Swift type is a block type that agrees with the block's signature.
  @usableFromInline
  package func requireSignature(of type: Any.Type) throws(BlockError) {
    try Block.requireBlockType(type)
    let own = try requireSignature()
    let asked: TypeEncoding
    do {
      asked = try TypeEncoding(of: type)
    } catch {
      throw BlockError(
        .typeMismatch, "\(type) has no C equivalent: \(error.message)", underlying: error)
    }
    guard case .block(let signature?) = asked.type else {
      throw BlockError(.notABlock, "\(type) is not a @convention(block) type; ask for one")
    }
    let differences = signature.differences(from: own, ours: "\(type)", theirs: "block")
    guard differences.isEmpty else {
      throw BlockError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "))
    }
  }

  /// Refuses every type that is not a `@convention(block)` function type; no value is needed.
  ///
  /// - Throws: `notABlock`.
  @usableFromInline
  static func requireBlockType(_ type: Any.Type) throws(BlockError) {
    guard let convention = FunctionConvention(of: type) else {
      throw BlockError(
        .notABlock, "\(type) is not a block; pass a closure of a @convention(block) type")
    }
    guard convention == .block else {
      throw BlockError(
        .notABlock,
        "\(type) is a function but not a block; convert it to a @convention(block) type first")
    }
  }
}
