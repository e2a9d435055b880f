extension DelayedBlock {
  /// Moves a pending block to a time from now.
  ///
  /// The block keeps its tolerance. A repeating block continues from the new time.
  ///
  /// - Returns: False, without a change, if the block is running or has ended.
  @discardableResult
  public final func reschedule(after delay: Duration) -> Bool {
    timer.move(self, to: timer.instant(after: delay).nanoseconds)
  }

  /// Moves a pending block to an instant; if that is past, the block is due at once.
  ///
  /// - Returns: False, without a change, if the block is running or has ended.
  @discardableResult
  public final func reschedule(at instant: DelayTimer.Instant) -> Bool {
    timer.move(self, to: instant.nanoseconds)
  }
}
