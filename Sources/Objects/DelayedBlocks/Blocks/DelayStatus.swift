/// The contents of a delayed block's atomic word: its state, its flags, and a generation.
struct DelayStatus: Sendable {
  var word: UInt32

  /// The status of a new block, which is pending; `repeats` if it becomes pending again after a
  /// run.
  init(repeats: Bool) { word = repeats ? Self.repeatsBit : 0 }

  init(word: UInt32) { self.word = word }

  private static let stateMask: UInt32 = 3
  private static let repeatsBit: UInt32 = 1 << 2
  private static let stopBit: UInt32 = 1 << 3
  private static let observedBit: UInt32 = 1 << 4
  private static let generationUnit: UInt32 = 1 << 8

  /// The block's state.
  var state: DelayedBlock.State {
    get {
      switch word & Self.stateMask {
      case 0: .pending
      case 1: .running
      case 2: .finished
      default: .cancelled
      }
    }
    set {
      let number: UInt32 =
        switch newValue {
        case .pending: 0
        case .running: 1
        case .finished: 2
        case .cancelled: 3
        }
      word = word & ~Self.stateMask | number
    }
  }

  /// Whether the block becomes pending again after a run.
  var repeats: Bool { word & Self.repeatsBit != 0 }

  /// Whether a repeating block was cancelled during a run, and ends with it.
  var isStopping: Bool {
    get { word & Self.stopBit != 0 }
    set { word = newValue ? word | Self.stopBit : word & ~Self.stopBit }
  }

  /// Whether the timer has end handlers for the block.
  var isObserved: Bool {
    get { word & Self.observedBit != 0 }
    set { word = newValue ? word | Self.observedBit : word & ~Self.observedBit }
  }

  /// Whether the block will not run again.
  var hasEnded: Bool { word & 2 != 0 }

  /// Distinguishes a run that was already sent to a target from a later one, after the block was
  /// moved.
  var generation: UInt32 { word >> 8 }

  mutating func beginGeneration() { word &+= Self.generationUnit }
}
