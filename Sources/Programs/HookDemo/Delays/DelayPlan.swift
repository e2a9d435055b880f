/// The plan for the blocks of `hook-demo delay`, determined by their count and the time.
struct DelayPlan: Sendable {
  /// The planned fate of a block; times are counted from the beginning.
  enum Fate: Sendable {
    /// It runs when it is due.
    case runs
    /// It is cancelled.
    case cancelled(at: Duration)
    /// It is moved to another time.
    case moved(at: Duration, to: Duration)
    /// It is run by `runNow()`.
    case hurried(at: Duration)
  }

  /// One block, which runs once or never.
  struct Item: Sendable {
    /// The block's number, from 1.
    let number: Int

    /// The time at which it is due.
    let due: Duration

    /// What happens to it.
    let fate: Fate
  }

  /// The blocks, in the order of their times.
  let items: [Item]

  /// The time between the ticks of the repeating block.
  let tickInterval: Duration

  /// The time at which the repeating block's owner is released.
  let ownerDies: Duration

  /// Plans blocks, evenly spread over a time.
  init(count: Int, spread: Duration) {
    items = (1...max(count, 1)).map { number in
      let due = spread * number / max(count, 1)
      return Item(number: number, due: due, fate: Self.fate(of: number, due: due, spread: spread))
    }
    tickInterval = spread / 8
    // Between two ticks.
    ownerDies = spread * 9 / 16
  }

  private static func fate(of number: Int, due: Duration, spread: Duration) -> Fate {
    switch number {
    case _ where number.isMultiple(of: 3): .cancelled(at: due / 3)
    case 2: .moved(at: due / 2, to: spread)
    case 4: .hurried(at: due / 2)
    default: .runs
    }
  }
}
