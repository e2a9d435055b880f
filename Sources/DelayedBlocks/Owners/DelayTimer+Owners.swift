extension DelayTimer {
  /// Runs a block for an object after a time, unless the object dies before.
  ///
  /// When the object dies the block is cancelled: its closure is freed, and it never runs. (Where the ends of the
  /// object's class cannot be seen, see `onDeinit(of:_:_:)`, it does not run either, but stays until it is due.)
  /// `DelayedBlock.cancelAll(of:)` and `DelayedBlock.cancelAll(named:of:)` cancel it sooner.
  ///
  /// The corresponding method of Objective-C, which keeps the object alive, is `performSelector:withObject:afterDelay:`.
  ///
  /// - Parameters:
  ///   - delay: The time from now; none if it is negative.
  ///   - owner: The object. While the block runs it is kept alive.
  ///   - name: A name to cancel the block by; several blocks may have the same.
  ///   - keepsOwner: Whether the object is kept alive until the block has run or is cancelled; it may
  ///     then die where that happens.
  ///   - target: Where the block runs; nil is the timer's own target.
  ///   - tolerance: How much later it may run, so that blocks share a wake-up.
  ///   - body: The block; it gets the object, which it need not capture.
  /// - Returns: The token; a cancelled one if the object is dying already.
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

  /// Runs a block for an object at an instant, unless the object dies before; as
  /// `perform(after:for:name:keepsOwner:on:tolerance:_:)`.
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
    add(block)
    OwnedBlocks.note(block, of: owner, name: name)
    return block
  }

  /// Runs a block for an object again and again, until it is cancelled or the object dies.
  ///
  /// The object is not kept alive between runs. The parameters are those of `repeat(every:after:policy:on:tolerance:_:)`
  /// and `perform(after:for:name:keepsOwner:on:tolerance:_:)`.
  ///
  /// - Returns: The token; a cancelled one if the object is dying already.
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
    add(block)
    OwnedBlocks.note(block, of: owner, name: name)
    return block
  }
}

extension DelayedBlock {
  /// Cancels all blocks that wait for an object, of all timers.
  ///
  /// The corresponding method of Objective-C is `cancelPreviousPerformRequestsWithTarget:`.
  ///
  /// - Returns: How many it prevented from running.
  @discardableResult
  public static func cancelAll(of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, name: nil)
  }

  /// Cancels the blocks of a name that wait for an object, of all timers.
  ///
  /// The corresponding method of Objective-C is
  /// `cancelPreviousPerformRequestsWithTarget:selector:object:`.
  ///
  /// - Returns: How many it prevented from running.
  @discardableResult
  public static func cancelAll(named name: String, of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, name: name)
  }

  /// Cancels the blocks that wait for an object and whose names begin with a prefix.
  ///
  /// - Returns: How many it prevented from running.
  package static func cancelAll(namePrefix: String, of owner: AnyObject) -> Int {
    OwnedBlocks.cancel(of: owner, namePrefix: namePrefix)
  }

  /// How many blocks wait for an object, or run for it, of all timers.
  public static func count(of owner: AnyObject) -> Int { OwnedBlocks.count(of: owner) }
}
