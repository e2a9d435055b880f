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

  /// The error that a part of a handler threw.
  package struct PartError: Error {
    package let cause: any Error
    package let proceedCount: Int
  }
}

extension CallFrame {
  /// Makes a decision for this handler that holds for the whole call, in which an outer handler may
  /// proceed several times.
  ///
  /// - Parameter decide: Makes the decision, the first time.
  /// - Returns: The decision.
  package mutating func decideOnce(_ decide: (inout CallFrame) -> Bool) -> Bool {
    let level = activation.level - 1
    // The outermost handler runs once.
    guard level > 0 else { return decide(&self) }
    if let decision = unsafe outcome.decision(of: level) { return decision }
    let decision = decide(&self)
    unsafe outcome.note(decision, of: level)
    return decision
  }

  /// Keeps an object until the call ends.
  package mutating func keepUntilEnd(_ object: AnyObject) {
    unsafe outcome.makeKeeper().untilEnd.append(object)
  }
}
