extension CallFrame {
  /// Runs a part of a handler as if it stood in another position of the call.
  ///
  /// - Parameters:
  ///   - position: What the part finds as the frame's position.
  ///   - body: The part.
  /// - Returns: How often the part proceeded.
  /// - Throws: What the part throws, with how often it had proceeded.
  package mutating func run(
    in position: Position, _ body: (inout CallFrame) throws -> Void
  ) throws(PartError) -> Int {
    let outer = activation
    activation = Activation(position: position, level: outer.level)
    defer { activation = outer }
    do {
      try body(&self)
    } catch {
      throw PartError(cause: error, proceedCount: proceedCount)
    }
    return proceedCount
  }

  /// What a part of a handler threw.
  package struct PartError: Error {
    package let cause: any Error
    package let proceedCount: Int
  }
}
