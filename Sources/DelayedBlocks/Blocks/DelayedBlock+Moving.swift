extension DelayedBlock {
  /// Moves a pending block to a time from now.
  ///
  /// The block keeps its tolerance. A repeating block goes on from there.
  ///
  /// - Returns: False if the block is running or has ended: nothing changes then.
  @discardableResult
  public final func reschedule(after delay: Duration) -> Bool {
    timer.move(self, to: timer.instant(after: delay).nanoseconds)
  }

  /// Moves a pending block to an instant; where that is past it is due at once.
  ///
  /// - Returns: False if the block is running or has ended: nothing changes then.
  @discardableResult
  public final func reschedule(at instant: DelayTimer.Instant) -> Bool {
    timer.move(self, to: instant.nanoseconds)
  }
}
