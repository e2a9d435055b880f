import DelayedBlocks

/// A timer that stands still until its clock is advanced, for tests without sleep.
struct ManualTimer {
  let clock = ManualClock()
  let timer: DelayTimer

  init(target: DelayTarget = .inline) { timer = DelayTimer(clock: clock, on: target) }
}
