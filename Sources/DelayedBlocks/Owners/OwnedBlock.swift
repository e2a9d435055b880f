/// A delayed block that runs for an object, and is cancelled where the object is gone.
final class OwnedBlock<Owner: AnyObject & Sendable>: DelayedBlock, @unchecked Sendable {
  /// The closure; it belongs to whoever changed the state from pending, then to nobody.
  private var work: (@Sendable (Owner) -> Void)?
  private weak let owner: Owner?
  /// The object, if the block keeps it alive.
  private var keptOwner: Owner?

  init(
    _ work: @escaping @Sendable (Owner) -> Void, owner: Owner, keepsOwner: Bool, at instant: UInt64,
    tolerance: UInt64, target: DelayTarget, timer: DelayTimer
  ) {
    self.work = work
    self.owner = owner
    keptOwner = keepsOwner ? owner : nil
    super.init(nil, at: instant, tolerance: tolerance, target: target, timer: timer)
  }

  override func perform() -> Bool {
    let hasRun = runWork()
    end(hasRun ? .finished : .cancelled)
    return hasRun
  }

  /// Runs the closure, and lets go of it and of the object.
  private func runWork() -> Bool {
    defer { dropBody() }
    guard let owner, let work else { return false }
    work(owner)
    return true
  }

  override func dropBody() {
    work = nil
    keptOwner = nil
  }
}
