extension DelayTimer {
  /// Runs a block for an object after a time, unless the object is destroyed before.
  ///
  /// When the object is destroyed, the block is cancelled: its closure is freed, and it never runs.
  /// (If the destruction of objects of its class cannot be hooked, see `onDeinit(of:_:_:)`, the
  /// block does not run either, but stays pending until it is due.) `DelayedBlock.cancelAll(of:)`
  /// and `DelayedBlock.cancelAll(named:of:)` cancel it sooner.
  ///
  /// The corresponding method of Objective-C, which retains the object, is
  /// `performSelector:withObject:afterDelay:`.
  ///
  /// - Parameters:
  ///   - delay: The time from now; zero if it is negative.
  ///   - owner: The object; retained while the block runs.
  ///   - name: A name by which the block can be cancelled; several blocks may have the same name.
  ///   - keepsOwner: Whether the object is retained until the block has run or is cancelled; it may
  ///     then be destroyed on the thread where that happens.
  ///   - target: Where the block runs; nil is the timer's own target.
  ///   - tolerance: How much later the block may run, so that blocks share a wake-up.
  ///   - body: The block; it receives the object, and need not capture it.
  /// - Returns: The token; a cancelled one if the object is being destroyed already.
  @discardableResult
  public func perform<Owner: AnyObject & Sendable>(
    after delay: Duration, for owner: Owner, name: String? = nil, keepsOwner: Bool = false,
    on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: @escaping @Sendable (Owner) -> Void
  ) -> DelayedBlock {
    perform(
      at: instant(after: delay), for: owner, name: name, keepsOwner: keepsOwner, on: target,
      tolerance: tolerance, body)
  }

  /// Runs a block for an object at an instant, unless the object is destroyed before.
  ///
  /// Otherwise it is like `perform(after:for:name:keepsOwner:on:tolerance:_:)`.
  @discardableResult
  public func perform<Owner: AnyObject & Sendable>(
    at instant: Instant, for owner: Owner, name: String? = nil, keepsOwner: Bool = false,
    on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: @escaping @Sendable (Owner) -> Void
  ) -> DelayedBlock {
    let block = OwnedBlock(
      body, owner: owner, keepsOwner: keepsOwner,
      at: instant.nanoseconds, tolerance: tolerance.wholeNanoseconds,
      target: (target ?? self.target).without(owner), timer: self)
    OwnedBlocks.note(block, of: owner, name: name) { add(block) }
    return block
  }

  /// Runs a block for an object repeatedly, until it is cancelled or the object is destroyed.
  ///
  /// The object is not retained between runs. The parameters are those of
  /// `repeat(every:after:policy:on:tolerance:_:)` and
  /// `perform(after:for:name:keepsOwner:on:tolerance:_:)`.
  ///
  /// - Returns: The token; a cancelled one if the object is being destroyed already.
  /// - Throws: `invalidInterval`.
  @discardableResult
  public func `repeat`<Owner: AnyObject & Sendable>(
    every interval: Duration, for owner: Owner, name: String? = nil, after delay: Duration? = nil,
    policy: RepeatingBlock.Policy = .skip, on target: DelayTarget? = nil,
    tolerance: Duration = .zero,
    _ body: @escaping @Sendable (Owner, RepeatingBlock.Tick) -> Void
  ) throws(DelayError) -> RepeatingBlock {
    let block = try repeating(
      interval, delay: delay, policy: policy, target: (target ?? self.target).without(owner),
      tolerance: tolerance
    ) { [weak owner] tick in
      guard let owner else { return false }
      body(owner, tick)
      return true
    }
    OwnedBlocks.note(block, of: owner, name: name) { add(block) }
    return block
  }
}

extension DelayedBlock {
  /// Cancels all blocks that are to run for an object, of all timers.
  ///
  /// The corresponding method of Objective-C is `cancelPreviousPerformRequestsWithTarget:`.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  @discardableResult
  public static func cancelAll(of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, name: nil)
  }

  /// Cancels the blocks with a name that are to run for an object, of all timers.
  ///
  /// The corresponding method of Objective-C is
  /// `cancelPreviousPerformRequestsWithTarget:selector:object:`.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  @discardableResult
  public static func cancelAll(named name: String, of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, name: name)
  }

  /// Cancels the blocks that are to run for an object and whose names begin with a prefix.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  package static func cancelAll(namePrefix: String, of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, namePrefix: namePrefix)
  }

  /// The number of blocks that are to run for an object or are running for it, of all timers.
  public static func count(of owner: AnyObject) -> Int { OwnedBlocks.count(of: owner) }
}
